// Key derivation: keys, labels, seeds, passwords and salts are secret; batches of HMAC and PBKDF2 in lanes too.
#include "cases.hpp"

namespace vsh::test {
namespace {

// Checks that the derived bytes depend on the secrets; the call gets out, len bytes.
template <class Derive>
bool depends(const std::string& name, size_t len, Derive derive) {
  Bytes out(len);
  must(name, derive(out.data(), len));
  return is_secret(out.data(), len);
}

template <class Job, class Run>
bool batch_depends(const std::string& name, std::vector<Job> jobs, Bytes& out, Run run) {
  must(name, run(jobs.data(), jobs.size()));
  return is_secret(out.data(), out.size());
}

void add_row(Cases& cases, const vsh_kernel_info& row) {
  const std::string kernel = row.variant;
  const auto options = [kernel] {
    vsh_options o = VSH_OPTIONS_INIT;
    o.kernel = kernel.c_str();
    return o;
  };
  const bool runnable = row.runnable != 0;
  const size_t num = row.lanes + 1;
  const std::string hmac = "keys/hmac-batch/" + kernel, pbkdf2 = "keys/pbkdf2/" + kernel;
  cases.push_back({hmac, Expect::clean, runnable, [=] {
                     const Bytes key = secret(70), message = secret(100);
                     Bytes out(64 * num);
                     std::vector<vsh_hmac_job> jobs;
                     for (size_t i = 0; i < num; ++i)
                       jobs.push_back({key.data(), 40 + i % 30, message.data(), i % 100, &out[64 * i], 64, VSH_OK});
                     const vsh_options o = options();
                     return batch_depends(hmac, jobs, out, [&](vsh_hmac_job* j, size_t n) {
                       return vsh_streams_hmac(VSH_HMAC_STREEBOG512, j, n, &o);
                     });
                   }});
  cases.push_back({pbkdf2, Expect::clean, runnable, [=] {
                     const Bytes password = secret(70), salt = secret(20);
                     Bytes out(64 * num);
                     std::vector<vsh_pbkdf2_job> jobs;
                     for (size_t i = 0; i < num; ++i)
                       jobs.push_back({password.data(), 40 + i % 30, salt.data(), 20, static_cast<uint32_t>(1 + i % 3),
                                       &out[64 * i], 64, VSH_OK});
                     const vsh_options o = options();
                     return batch_depends(pbkdf2, jobs, out,
                                          [&](vsh_pbkdf2_job* j, size_t n) { return vsh_pbkdf2_batch(j, n, &o); });
                   }});
}

}  // namespace

void add_keys(Cases& cases) {
  cases.push_back({"keys/kdf-tree", Expect::clean, true, [] {
                     const Bytes key = secret(32), label = secret(9), seed = secret(33);
                     return depends("kdf-tree", 100, [&](uint8_t* out, size_t len) {
                       return vsh_kdf_tree(out, len, key.data(), 32, 2, label.data(), 9, seed.data(), 33, nullptr);
                     });
                   }});
  for (size_t i = 0; const char* name = vsh_prf_name(i); ++i) {
    vsh_prf_algorithm algorithm;
    must(name, vsh_prf_by_name(&algorithm, name));
    const bool tls = algorithm == VSH_PRF_TLS_256 || algorithm == VSH_PRF_TLS_512;
    cases.push_back({std::string("keys/") + name, Expect::clean, true, [=] {
                       const Bytes key = secret(70), label = secret(9), seed = secret(33);
                       return depends(name, 150, [&](uint8_t* out, size_t len) {
                         return vsh_prf(out, len, algorithm, key.data(), 70, label.data(), tls ? 9 : 0, seed.data(), 33,
                                        nullptr);
                       });
                     }});
  }
  cases.push_back({"keys/tlstree", Expect::clean, true, [] {
                     const Bytes root = secret(32);
                     vsh_tlstree* tree = nullptr;
                     must("tlstree", vsh_tlstree_new(&tree, VSH_TLSTREE_MAGMA_MGM_L, root.data(), 32, nullptr));
                     bool result = true;
                     for (const uint64_t seqnum : {0, 1, 128, 1 << 30})
                       result =
                           depends("tlstree", 32,
                                   [&](uint8_t* out, size_t len) { return vsh_tlstree_key(tree, out, len, seqnum); }) &&
                           result;
                     vsh_tlstree_free(tree);
                     return result;
                   }});
  cases.push_back({"keys/esptree", Expect::clean, true, [] {
                     const Bytes root = secret(32);
                     vsh_esptree* tree = nullptr;
                     must("esptree", vsh_esptree_new(&tree, root.data(), 32, nullptr));
                     const bool result = depends("esptree", 32, [&](uint8_t* out, size_t len) {
                       return vsh_esptree_key(tree, out, len, 1, 2, 3);
                     });
                     vsh_esptree_free(tree);
                     return result;
                   }});
  vsh_kernel_info row;
  for (size_t i = 0; vsh_kernel(i, &row) == VSH_OK; ++i)
    if (std::string(row.family) == "streebog" && row.constant_time) add_row(cases, row);
}

}  // namespace vsh::test

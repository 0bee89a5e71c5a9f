// The functions of libarchive for directories. The library is loaded only when a directory is sealed or opened: it
// loads a dozen others, which would slow the start of every command, and the program runs without it.
#pragma once

#if VSH_WITH_ARCHIVE
#include <archive.h>
#include <archive_entry.h>

namespace vsh::cli {

#define VSH_ARCHIVE_FUNCTIONS(F)            \
  F(archive_errno)                          \
  F(archive_error_string)                   \
  F(archive_read_new)                       \
  F(archive_read_support_format_tar)        \
  F(archive_read_open_fd)                   \
  F(archive_read_next_header)               \
  F(archive_read_data_block)                \
  F(archive_read_free)                      \
  F(archive_write_new)                      \
  F(archive_write_set_format_gnutar)        \
  F(archive_write_set_bytes_per_block)      \
  F(archive_write_open)                     \
  F(archive_write_header)                   \
  F(archive_write_data)                     \
  F(archive_write_data_block)               \
  F(archive_write_close)                    \
  F(archive_write_free)                     \
  F(archive_write_disk_new)                 \
  F(archive_write_disk_set_options)         \
  F(archive_write_disk_set_standard_lookup) \
  F(archive_entry_new)                      \
  F(archive_entry_clear)                    \
  F(archive_entry_free)                     \
  F(archive_entry_copy_stat)                \
  F(archive_entry_copy_pathname)            \
  F(archive_entry_copy_symlink)             \
  F(archive_entry_copy_hardlink)            \
  F(archive_entry_set_size)                 \
  F(archive_entry_set_perm)                 \
  F(archive_entry_pathname)                 \
  F(archive_entry_symlink)                  \
  F(archive_entry_hardlink)                 \
  F(archive_entry_filetype)                 \
  F(archive_entry_perm)                     \
  F(archive_entry_mtime)                    \
  F(archive_entry_mtime_is_set)

struct LibArchive {
#define VSH_DECLARE(name) decltype(&::name) name;
  VSH_ARCHIVE_FUNCTIONS(VSH_DECLARE)
#undef VSH_DECLARE
};

// Loads it on the first call. Throws Failure if the library is missing.
const LibArchive& libarchive();

}  // namespace vsh::cli
#endif

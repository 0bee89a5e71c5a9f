// Stockham's FFT with a slice in every lane: radices 2, 3, 4 and 5, two buffers, no bit reversal and no shuffle
// (Stockham 1966; Van Loan, Computational Frameworks for the FFT, 1.7). A complex number is a vector of real parts
// followed by a vector of imaginary parts.
#pragma once

#include "tomography/slices/kernel.hpp"
#include "tomography/slices/vector.hpp"

namespace vsh::tomography {
namespace {

template <class S>
struct Fft {
  using V = typename S::V;
  struct Complex {
    V re, im;
    VSH_INLINE_MEMBER friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    VSH_INLINE_MEMBER friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    VSH_INLINE_MEMBER friend Complex operator*(Complex a, float b) { return {a.re * b, a.im * b}; }
  };
  VSH_INLINE Complex times_i(Complex a) { return {-a.im, a.re}; }

  // Where real and imaginary parts are.
  size_t re, im;

  VSH_INLINE_MEMBER Complex get(const float* p) const { return {S::load(p + re), S::load(p + im)}; }
  VSH_INLINE_MEMBER void put(float* p, Complex c) const {
    S::store(p + re, c.re);
    S::store(p + im, c.im);
  }
  // p = c * w
  VSH_INLINE_MEMBER void put(float* p, Complex c, const float* w) const {
    put(p, {c.re * w[0] - c.im * w[1], c.re * w[1] + c.im * w[0]});
  }

  template <int radix>
  VSH_INLINE void butterfly(Complex (&x)[radix]) {
    if constexpr (radix == 2) {
      const Complex a = x[0];
      x[0] = a + x[1];
      x[1] = a - x[1];
    } else if constexpr (radix == 3) {
      const Complex sum = x[1] + x[2];
      const Complex turned = times_i(x[1] - x[2]) * -0.866025403784438647f;
      const Complex middle = x[0] - sum * 0.5f;
      x[0] = x[0] + sum;
      x[1] = middle + turned;
      x[2] = middle - turned;
    } else if constexpr (radix == 4) {
      const Complex a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = times_i(x[1] - x[3]);
      x[0] = a + c;
      x[1] = b - d;
      x[2] = a - c;
      x[3] = b + d;
    } else {
      constexpr float c1 = 0.309016994374947424f, c2 = -0.809016994374947424f;
      constexpr float s1 = 0.951056516295153572f, s2 = 0.587785252292473129f;
      const Complex a = x[1] + x[4], b = x[2] + x[3], d = times_i(x[1] - x[4]), e = times_i(x[2] - x[3]);
      const Complex p = x[0] + a * c1 + b * c2, q = x[0] + a * c2 + b * c1;
      const Complex r = d * s1 + e * s2, t = d * s2 - e * s1;
      x[0] = x[0] + a + b;
      x[1] = p - r;
      x[2] = q - t;
      x[3] = q + t;
      x[4] = p + r;
    }
  }

  template <int radix>
  void stage(float* out, const float* in, const FftStage& stage) const {
    constexpr size_t kEach = 2 * S::kLanes;
    const size_t stride = stage.stride * kEach;
    const size_t apart = stage.rest * stride;
    const float* w = stage.twiddles;
    for (size_t p = 0; p < stage.rest; ++p, w += 2 * (radix - 1)) {
      const float* from = in + p * stride;
      float* to = out + p * radix * stride;
      for (size_t q = 0; q < stride; q += kEach) {
        Complex x[radix];
        for (int j = 0; j < radix; ++j) x[j] = get(from + q + static_cast<size_t>(j) * apart);
        butterfly<radix>(x);
        put(to + q, x[0]);
        for (int j = 1; j < radix; ++j) put(to + q + static_cast<size_t>(j) * stride, x[j], w + 2 * (j - 1));
      }
    }
  }

  static void run(const FftStages& plan, float* data, float* scratch, bool inverse) {
    const Fft fft{inverse ? size_t{S::kLanes} : 0, inverse ? 0 : size_t{S::kLanes}};
    float* in = data;
    float* out = scratch;
    for (size_t i = 0; i < plan.num_stages; ++i) {
      const FftStage& s = plan.stages[i];
      if (s.radix == 4) fft.template stage<4>(out, in, s);
      else if (s.radix == 2) fft.template stage<2>(out, in, s);
      else if (s.radix == 3) fft.template stage<3>(out, in, s);
      else fft.template stage<5>(out, in, s);
      float* const swap = in;
      in = out;
      out = swap;
    }
    if (in == data) return;
    for (size_t i = 0; i < plan.length * 2 * S::kLanes; i += S::kLanes) S::store(data + i, S::load(in + i));
  }
};

template <class S>
void scale(float* data, const float* factors, size_t num, size_t floats_each, float weight) {
  for (size_t k = 0; k < num; ++k) {
    const auto factor = S::all(factors[k] * weight);
    for (size_t i = 0; i < floats_each; i += S::kLanes, data += S::kLanes) S::store(data, S::load(data) * factor);
  }
}

}  // namespace
}  // namespace vsh::tomography

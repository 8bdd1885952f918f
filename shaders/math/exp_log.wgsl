// Computes e^x and log x with fixed bits, since WGSL leaves those of its exp and log to the driver. WGSL also lets a driver fuse a·b + c, or add
// in another order, if that is no less accurate. So each intermediate result of e^x goes through `rounded`, which keeps every operation rounded
// by itself. log x is computed in integers.

// Returns x in a way that a compiler cannot simplify: params.zero is 0, which only the caller knows.
fn rounded(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ params.zero);
}

// Returns the bits of the CPU's exp4 (src/kernels/cpu/wasm/lanes.ts, the build that does not fuse) for every x: x = n·ln2 + r, a polynomial in r,
// and 2^n through the exponent's bits. The result is 0 below -87.33, and e^88.37 above 88.37. No result and no step that matters is subnormal,
// so drivers that flush those to zero agree.
fn exp1(x: f32) -> f32 {
  // min() may drop a NaN.
  let c = select(x, 88.37626, x > 88.37626);
  // Adding 1.5·2^23 rounds to the nearest integer, ties to even, which is then in the low bits.
  let shifted = rounded(rounded(c * 1.44269504088896341) + 12582912.0);
  let n = rounded(shifted - 12582912.0);
  // The first part of ln 2 has so few bits that n times it is exact.
  let high = rounded(c - rounded(n * 0.693359375));
  let r = rounded(high - rounded(n * -2.12194440e-4));
  var p = rounded(1.9875691500e-4 * r) + 1.3981999507e-3;
  p = rounded(rounded(p) * r) + 8.3334519073e-3;
  p = rounded(rounded(p) * r) + 4.1665795894e-2;
  p = rounded(rounded(p) * r) + 1.6666665459e-1;
  p = rounded(rounded(p) * r) + 5.0000001201e-1;
  p = rounded(rounded(rounded(p) * rounded(r * r)) + r) + 1.0;
  let power = bitcast<f32>((bitcast<u32>(shifted) + 127u) << 23u);
  return select(rounded(p) * power, 0.0, x < -87.33654);
}

fn rounded4(x: vec4f) -> vec4f {
  return bitcast<vec4f>(bitcast<vec4u>(x) ^ vec4u(params.zero));
}

fn exp4(x: vec4f) -> vec4f {
  return vec4f(exp1(x.x), exp1(x.y), exp1(x.z), exp1(x.w));
}

// The table of log(1 + 2^-k), k = 1 … 30, in units of 2^-56: low and high word.
const LOGS = array<vec2u, 30>(
  vec2u(0xb2fe6130u, 0x0067cc8fu), vec2u(0x8f353443u, 0x00391fefu), vec2u(0x6e2af2e6u, 0x001e2707u),
  vec2u(0x6008b153u, 0x000f8518u), vec2u(0xc39e0cc0u, 0x0007e0a6u), vec2u(0x161f807cu, 0x0003f815u),
  vec2u(0xa6b10679u, 0x0001fe02u), vec2u(0x5515885eu, 0x0000ff80u), vec2u(0x0aa6ac44u, 0x00007fe0u),
  vec2u(0x01551562u, 0x00003ff8u), vec2u(0x002aa6abu, 0x00001ffeu), vec2u(0x80055515u, 0x00000fffu),
  vec2u(0xe000aaa7u, 0x000007ffu), vec2u(0xf8001555u, 0x000003ffu), vec2u(0xfe0002abu, 0x000001ffu),
  vec2u(0xff800055u, 0x000000ffu), vec2u(0xffe0000bu, 0x0000007fu), vec2u(0xfff80001u, 0x0000003fu),
  vec2u(0xfffe0000u, 0x0000001fu), vec2u(0xffff8000u, 0x0000000fu), vec2u(0xffffe000u, 0x00000007u),
  vec2u(0xfffff800u, 0x00000003u), vec2u(0xfffffe00u, 0x00000001u), vec2u(0xffffff80u, 0x00000000u),
  vec2u(0x7fffffe0u, 0x00000000u), vec2u(0x3ffffff8u, 0x00000000u), vec2u(0x1ffffffeu, 0x00000000u),
  vec2u(0x10000000u, 0x00000000u), vec2u(0x08000000u, 0x00000000u), vec2u(0x04000000u, 0x00000000u),
);
const LOG_2 = vec2u(0xf7d1cf7au, 0x00b17217u);

fn sum64(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn difference64(a: vec2u, b: vec2u) -> vec2u {
  return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

// Returns 24 bits · 2^exponent exactly; the result must be a normal number.
fn scaled(bits: u32, exponent: i32) -> f32 {
  return f32(bits) * bitcast<f32>(u32(exponent + 127) << 23u);
}

// Returns log x as the sum of two numbers, to about 2^-52, for x ≥ 1; NaN and infinity stay. With x = m·2^e, m is multiplied towards 2 by factors
// 1 + 2^-k, each used if the product stays below 2: log x = (e + 1)·log 2 minus the factors' logarithms and a small rest.
fn log_parts(x: f32) -> vec2f {
  let bits = bitcast<u32>(x);
  if ((bits & 0x7f800000u) == 0x7f800000u) { return vec2f(x, 0.0); }
  if (bits <= 0x3f800000u) { return vec2f(); }
  // m is in units of 2^-62.
  var m = vec2u(0u, ((bits & 0x7fffffu) | 0x800000u) << 7u);
  var taken = vec2u();
  for (var k = 1u; k <= 30u; k++) {
    let grown = sum64(m, vec2u((m.x >> k) | (m.y << (32u - k)), m.y >> k));
    if (grown.y < 0x80000000u) {
      m = grown;
      taken = sum64(taken, LOGS[k - 1u]);
    }
  }
  let left = difference64(vec2u(0u, 0x80000000u), m);
  taken = sum64(taken, vec2u((left.x >> 7u) | (left.y << 25u), left.y >> 7u));
  let e = (bits >> 23u) - 126u; // e + 1
  let upper = (LOG_2.x >> 16u) * e;
  let all = sum64(vec2u((LOG_2.x & 0xffffu) * e, LOG_2.y * e), vec2u(upper << 16u, upper >> 16u));
  var log = difference64(all, taken);
  // The highest 48 bits are kept, 24 in each part.
  let zeros = select(32u + countLeadingZeros(log.x), countLeadingZeros(log.y), log.y != 0u);
  if (zeros >= 32u) { log = vec2u(0u, log.x); }
  let shift = zeros & 31u;
  if (shift > 0u) { log = vec2u(log.x << shift, (log.y << shift) | (log.x >> (32u - shift))); }
  let first = scaled(log.y >> 8u, -16 - i32(zeros));
  return vec2f(first, scaled(((log.y & 0xffu) << 16u) | (log.x >> 16u), -40 - i32(zeros)));
}

fn log1(x: f32) -> f32 {
  let parts = log_parts(x);
  return rounded(parts.x + parts.y);
}

// Returns base + log x, rounded once, as the CPU's kernels compute it in double precision.
fn plus_log(base: f32, x: f32) -> f32 {
  let parts = log_parts(x);
  let sum = rounded(base + parts.x);
  let back = rounded(sum - base);
  let lost = rounded(rounded(base - rounded(sum - back)) + rounded(parts.x - back));
  return sum + rounded(lost + parts.y);
}

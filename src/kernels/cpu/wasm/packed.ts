// AssemblyScript kernels: conversion of f16, 8-bit and 4-bit values to f32, with the same bits as the reference kernels (src/kernels/cpu/packed.ts).

const SUBNORMAL: f32 = 5.9604644775390625e-8; // 2^-24

/** Converts four finite f16 values, in the low 16 bits of four lanes, to f32. */
function halves4(h: v128): v128 {
  const sign = i32x4.shl(v128.and(h, i32x4.splat(0x8000)), 16);
  const magnitude = v128.and(h, i32x4.splat(0x7fff));
  const normal = i32x4.add(i32x4.shl(magnitude, 13), i32x4.splat(112 << 23));
  const subnormal = f32x4.mul(f32x4.convert_i32x4_s(magnitude), f32x4.splat(SUBNORMAL));
  const isSubnormal = i32x4.lt_s(magnitude, i32x4.splat(0x400));
  return v128.or(sign, v128.bitselect(subnormal, normal, isSubnormal));
}

/** `src` points to the first f16. */
export function unpackF16(src: usize, dst: usize, n: i32): void {
  let i = 0;
  for (; i + 8 <= n; i += 8) {
    const h = v128.load(src);
    v128.store(dst, halves4(i32x4.extend_low_i16x8_u(h)));
    v128.store(dst, halves4(i32x4.extend_high_i16x8_u(h)), 16);
    src += 16;
    dst += 32;
  }
  for (; i < n; i++) {
    store<f32>(dst, f32x4.extract_lane(halves4(i32x4.splat(load<u16>(src))), 0));
    src += 2;
    dst += 4;
  }
}

/** Converts `count` signed bytes to f32, times s. */
function times(src: usize, dst: usize, count: i32, s: f32): void {
  const s4 = f32x4.splat(s);
  let i = 0;
  for (; i + 8 <= count; i += 8) {
    const b = i16x8.extend_low_i8x16_s(v128.load64_zero(src));
    v128.store(dst, f32x4.mul(s4, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(b))));
    v128.store(dst, f32x4.mul(s4, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(b))), 16);
    src += 8;
    dst += 32;
  }
  for (; i < count; i++) {
    store<f32>(dst, s * <f32>load<i8>(src));
    src++;
    dst += 4;
  }
}

/** Unpacks elements [srcOff, srcOff + n); `src` and `scale` point to the matrix's first element and scale. */
export function unpackQ8(src: usize, scale: usize, dst: usize, n: i32, srcOff: i32, block: i32): void {
  let i = 0;
  while (i < n) {
    const at = (srcOff + i) / block;
    const end = min(n, (at + 1) * block - srcOff);
    times(src + srcOff + i, dst + <usize>i * 4, end - i, load<f32>(scale + <usize>at * 4));
    i = end;
  }
}

/** unpackQ8 with f16 scales. */
export function unpackQ8h(src: usize, scale: usize, dst: usize, n: i32, srcOff: i32, block: i32): void {
  let i = 0;
  while (i < n) {
    const at = (srcOff + i) / block;
    const end = min(n, (at + 1) * block - srcOff);
    const s = f32x4.extract_lane(halves4(i32x4.splat(load<u16>(scale + <usize>at * 2))), 0);
    times(src + srcOff + i, dst + <usize>i * 4, end - i, s);
    i = end;
  }
}

/** Converts `count` 4-bit integers, from element `from` of src, to f32, times s. */
function nibblesTimes(src: usize, from: i32, dst: usize, count: i32, s: f32): void {
  const s4 = f32x4.splat(s);
  let i = 0;
  // Groups of eight must start at a byte's low bits.
  if ((from & 1) == 0) {
    let at = src + <usize>(from >> 1);
    for (; i + 8 <= count; i += 8) {
      const word = v128.load32_zero(at);
      const low = i8x16.shr_s(i8x16.shl(word, 4), 4);
      const high = i8x16.shr_s(word, 4);
      const b = i16x8.extend_low_i8x16_s(
        i8x16.shuffle(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
      );
      v128.store(dst, f32x4.mul(s4, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(b))));
      v128.store(dst, f32x4.mul(s4, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(b))), 16);
      at += 4;
      dst += 32;
    }
  }
  for (; i < count; i++) {
    const e = from + i;
    const byte = <i32>load<u8>(src + <usize>(e >> 1));
    store<f32>(dst, s * <f32>((byte << (28 - 4 * (e & 1))) >> 28));
    dst += 4;
  }
}

/** unpackQ8h with 4-bit integers. */
export function unpackQ4h(src: usize, scale: usize, dst: usize, n: i32, srcOff: i32, block: i32): void {
  let i = 0;
  while (i < n) {
    const at = (srcOff + i) / block;
    const end = min(n, (at + 1) * block - srcOff);
    const s = f32x4.extract_lane(halves4(i32x4.splat(load<u16>(scale + <usize>at * 2))), 0);
    nibblesTimes(src, srcOff + i, dst + <usize>i * 4, end - i, s);
    i = end;
  }
}

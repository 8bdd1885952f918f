// 16-bit floats of weight files: bfloat16 and IEEE binary16 to f32, and f32 to binary16.

export function bfloatToFloat(halves: Uint16Array): Float32Array {
  const bits = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; i++) bits[i] = halves[i] << 16;
  return new Float32Array(bits.buffer);
}

export function halfToFloat(halves: Uint16Array): Float32Array {
  const out = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) {
    const h = halves[i];
    const sign = h & 0x8000 ? -1 : 1;
    const exponent = (h >> 10) & 0x1f;
    const fraction = h & 0x3ff;
    if (exponent === 0) out[i] = sign * fraction * 2 ** -24;
    else if (exponent === 31) out[i] = fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
    else out[i] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return out;
}

/** Round to nearest, ties to even; beyond 65,504 becomes infinity. */
export function floatToHalf(floats: Float32Array): Uint16Array {
  const bits = new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
  const out = new Uint16Array(floats.length);
  for (let i = 0; i < floats.length; i++) {
    const sign = (bits[i] >>> 16) & 0x8000;
    const exponent = (bits[i] >>> 23) & 0xff;
    const fraction = bits[i] & 0x7fffff;
    if (exponent === 0xff) out[i] = sign | 0x7c00 | (fraction ? 0x200 : 0);
    else if (exponent > 142) out[i] = sign | 0x7c00;
    else {
      const subnormal = exponent < 113;
      // Dropped bits: 13 for a normal result; one more for each power of two below the smallest normal.
      const shift = subnormal ? Math.min(126 - exponent, 31) : 13;
      const significand = subnormal ? (exponent ? fraction | 0x800000 : 0) : fraction;
      let half = subnormal ? significand >>> shift : ((exponent - 112) << 10) | (significand >>> 13);
      const rest = significand & (2 ** shift - 1);
      const middle = 2 ** (shift - 1);
      if (rest > middle || (rest === middle && half & 1)) half++;
      out[i] = sign | half;
    }
  }
  return out;
}

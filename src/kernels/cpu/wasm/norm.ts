// AssemblyScript kernels: RMSNorm, RoPE, SwiGLU and a sigmoid gate, and their gradients.
import { fma1, fma4, fnma1, fnma4 } from './fma';
import { dot, exp4, loadPart, one4, storePart, sum4 } from './lanes';

export function rmsnorm(x: usize, w: usize, y: usize, rstd: usize, rows: i32, dim: i32, eps: f32): void {
  const bytes = <usize>dim * 4;
  const whole = bytes & ~15;
  for (let i = 0; i < rows; i++) {
    const r = <f32>(1 / sqrt<f64>(dot(x, x, dim) / <f64>dim + <f64>eps));
    store<f32>(rstd + <usize>i * 4, r);
    const scale = f32x4.splat(r);
    let d: usize = 0;
    for (; d < whole; d += 16) {
      v128.store(y + d, f32x4.mul(f32x4.mul(v128.load(x + d), scale), v128.load(w + d)));
    }
    for (; d < bytes; d += 4) store<f32>(y + d, load<f32>(x + d) * r * load<f32>(w + d));
    x += bytes;
    y += bytes;
  }
}

export function rmsnormDx(
  x: usize,
  w: usize,
  rstd: usize,
  dy: usize,
  dx: usize,
  rows: i32,
  dim: i32,
  beta: i32,
): void {
  const bytes = <usize>dim * 4;
  const whole = bytes & ~15;
  for (let i = 0; i < rows; i++) {
    let s = f32x4.splat(0);
    let d: usize = 0;
    for (; d < whole; d += 16) {
      s = fma4(f32x4.mul(v128.load(x + d), v128.load(w + d)), v128.load(dy + d), s);
    }
    let sum = sum4(s);
    for (; d < bytes; d += 4) sum = fma1(load<f32>(x + d) * load<f32>(w + d), load<f32>(dy + d), sum);
    const r = load<f32>(rstd + <usize>i * 4);
    const pull = (sum * r * r * r) / <f32>dim;
    const rs = f32x4.splat(r);
    const pulls = f32x4.splat(pull);
    for (d = 0; d < whole; d += 16) {
      let g = fnma4(pulls, v128.load(x + d), f32x4.mul(f32x4.mul(rs, v128.load(w + d)), v128.load(dy + d)));
      if (beta) g = f32x4.add(g, v128.load(dx + d));
      v128.store(dx + d, g);
    }
    for (; d < bytes; d += 4) {
      const g = fnma1(pull, load<f32>(x + d), r * load<f32>(w + d) * load<f32>(dy + d));
      store<f32>(dx + d, beta ? g + load<f32>(dx + d) : g);
    }
    x += bytes;
    dy += bytes;
    dx += bytes;
  }
}

/** Computes columns [left, right) of dw; left is a multiple of 4. */
export function rmsnormDw(
  x: usize,
  rstd: usize,
  dy: usize,
  dw: usize,
  rows: i32,
  dim: i32,
  beta: i32,
  left: i32,
  right: i32,
): void {
  const bytes = <usize>dim * 4;
  const end = <usize>right * 4;
  const whole = end & ~15;
  let d: usize = <usize>left * 4;
  // Works on a cache line's width at a time, so that each line is read once.
  for (; d + 64 <= end; d += 64) {
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let a = dy + d;
    let b = x + d;
    for (let i = 0; i < rows; i++) {
      const r = v128.load32_splat(rstd + <usize>i * 4);
      s0 = fma4(f32x4.mul(v128.load(a), v128.load(b)), r, s0);
      s1 = fma4(f32x4.mul(v128.load(a, 16), v128.load(b, 16)), r, s1);
      s2 = fma4(f32x4.mul(v128.load(a, 32), v128.load(b, 32)), r, s2);
      s3 = fma4(f32x4.mul(v128.load(a, 48), v128.load(b, 48)), r, s3);
      a += bytes;
      b += bytes;
    }
    const to = dw + d;
    v128.store(to, beta ? f32x4.add(s0, v128.load(to)) : s0);
    v128.store(to, beta ? f32x4.add(s1, v128.load(to, 16)) : s1, 16);
    v128.store(to, beta ? f32x4.add(s2, v128.load(to, 32)) : s2, 32);
    v128.store(to, beta ? f32x4.add(s3, v128.load(to, 48)) : s3, 48);
  }
  for (; d < whole; d += 16) {
    let s = f32x4.splat(0);
    let at = d;
    for (let i = 0; i < rows; i++) {
      const r = v128.load32_splat(rstd + <usize>i * 4);
      s = fma4(f32x4.mul(v128.load(dy + at), v128.load(x + at)), r, s);
      at += bytes;
    }
    v128.store(dw + d, beta ? f32x4.add(s, v128.load(dw + d)) : s);
  }
  for (; d < end; d += 4) {
    let s: f32 = 0;
    let at = d;
    for (let i = 0; i < rows; i++) {
      s = fma1(load<f32>(dy + at) * load<f32>(x + at), load<f32>(rstd + <usize>i * 4), s);
      at += bytes;
    }
    store<f32>(dw + d, beta ? s + load<f32>(dw + d) : s);
  }
}

export function rope(
  x: usize,
  cos: usize,
  sin: usize,
  pos: usize,
  rows: i32,
  heads: i32,
  headDim: i32,
  shift: i32,
  inverse: i32,
  rest: i32,
): void {
  const half = <usize>headDim * 2;
  const passed = <usize>rest * 4;
  const sign: f32 = inverse ? -1 : 1;
  const signs = f32x4.splat(sign);
  for (let i = 0; i < rows; i++) {
    const table = <usize>(load<u32>(pos + <usize>i * 4) + <u32>shift) * half;
    for (let h = 0; h < heads; h++) {
      const high = x + half;
      let d: usize = 0;
      for (; d + 16 <= half; d += 16) {
        const c = v128.load(cos + table + d);
        const s = f32x4.mul(signs, v128.load(sin + table + d));
        const a = v128.load(x + d);
        const b = v128.load(high + d);
        v128.store(x + d, fnma4(b, s, f32x4.mul(a, c)));
        v128.store(high + d, fma4(a, s, f32x4.mul(b, c)));
      }
      for (; d < half; d += 4) {
        const c = load<f32>(cos + table + d);
        const s = sign * load<f32>(sin + table + d);
        const a = load<f32>(x + d);
        const b = load<f32>(high + d);
        store<f32>(x + d, fnma1(b, s, a * c));
        store<f32>(high + d, fma1(a, s, b * c));
      }
      x = high + half + passed;
    }
  }
}

@inline
export function sigmoid4(x: v128): v128 {
  const one = one4();
  return f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(x))));
}

export function swiglu(gate: usize, up: usize, out: usize, n: i32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const g = v128.load(gate);
    v128.store(out, f32x4.mul(f32x4.mul(g, sigmoid4(g)), v128.load(up)));
    gate += 16;
    up += 16;
    out += 16;
  }
  const g = loadPart(gate, n - i, 0);
  storePart(out, n - i, f32x4.mul(f32x4.mul(g, sigmoid4(g)), loadPart(up, n - i, 0)));
}

/** silu'(g) = σ(g)·(1 + g·(1 − σ(g))). */
@inline
export function siluSlope(g: v128, s: v128): v128 {
  const one = one4();
  return f32x4.mul(s, fma4(g, f32x4.sub(one, s), one));
}

export function swigluGrad(gate: usize, up: usize, dOut: usize, dGate: usize, dUp: usize, n: i32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const g = v128.load(gate);
    const s = sigmoid4(g);
    const d = v128.load(dOut);
    v128.store(dUp, f32x4.mul(f32x4.mul(d, g), s));
    v128.store(dGate, f32x4.mul(f32x4.mul(d, v128.load(up)), siluSlope(g, s)));
    gate += 16;
    up += 16;
    dOut += 16;
    dGate += 16;
    dUp += 16;
  }
  const g = loadPart(gate, n - i, 0);
  const s = sigmoid4(g);
  const d = loadPart(dOut, n - i, 0);
  storePart(dUp, n - i, f32x4.mul(f32x4.mul(d, g), s));
  storePart(dGate, n - i, f32x4.mul(f32x4.mul(d, loadPart(up, n - i, 0)), siluSlope(g, s)));
}

export function sigmoidGate(x: usize, gate: usize, out: usize, n: i32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    v128.store(out, f32x4.mul(v128.load(x), sigmoid4(v128.load(gate))));
    x += 16;
    gate += 16;
    out += 16;
  }
  storePart(out, n - i, f32x4.mul(loadPart(x, n - i, 0), sigmoid4(loadPart(gate, n - i, 0))));
}

/** σ'(g) = σ(g)·(1 − σ(g)). */
export function sigmoidGateGrad(x: usize, gate: usize, dOut: usize, dX: usize, dGate: usize, n: i32): void {
  const one = one4();
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const s = sigmoid4(v128.load(gate));
    const dx = f32x4.mul(v128.load(dOut), s);
    v128.store(dX, dx);
    v128.store(dGate, f32x4.mul(f32x4.mul(dx, v128.load(x)), f32x4.sub(one, s)));
    x += 16;
    gate += 16;
    dOut += 16;
    dX += 16;
    dGate += 16;
  }
  const s = sigmoid4(loadPart(gate, n - i, 0));
  const dx = f32x4.mul(loadPart(dOut, n - i, 0), s);
  storePart(dX, n - i, dx);
  storePart(dGate, n - i, f32x4.mul(f32x4.mul(dx, loadPart(x, n - i, 0)), f32x4.sub(one, s)));
}

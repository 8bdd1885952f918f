// AssemblyScript kernels: adapter gradients, row products, a round of Jacobi rotations, AdamW.
import { fma1, fma4, fnma1, fnma4 } from './fma';
import { dot, dotDouble } from './lanes';

/** out[j] = beta·out[j] + Σ_i p[i, j]·q[i, j] for j in [left, right); p and q point to the first row. */
export function adapterGrad(
  p: usize,
  q: usize,
  out: usize,
  rows: i32,
  r: i32,
  beta: i32,
  left: i32,
  right: i32,
): void {
  const step = <usize>r * 4;
  let j = left;
  for (; j + 16 <= right; j += 16) {
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let pAt = p + <usize>j * 4;
    let qAt = q + <usize>j * 4;
    for (let i = 0; i < rows; i++) {
      s0 = fma4(v128.load(pAt), v128.load(qAt), s0);
      s1 = fma4(v128.load(pAt, 16), v128.load(qAt, 16), s1);
      s2 = fma4(v128.load(pAt, 32), v128.load(qAt, 32), s2);
      s3 = fma4(v128.load(pAt, 48), v128.load(qAt, 48), s3);
      pAt += step;
      qAt += step;
    }
    const to = out + <usize>j * 4;
    if (beta) {
      s0 = f32x4.add(s0, v128.load(to));
      s1 = f32x4.add(s1, v128.load(to, 16));
      s2 = f32x4.add(s2, v128.load(to, 32));
      s3 = f32x4.add(s3, v128.load(to, 48));
    }
    v128.store(to, s0);
    v128.store(to, s1, 16);
    v128.store(to, s2, 32);
    v128.store(to, s3, 48);
  }
  for (; j < right; j++) {
    let sum: f32 = 0;
    let at = <usize>j * 4;
    for (let i = 0; i < rows; i++) {
      sum = fma1(load<f32>(p + at), load<f32>(q + at), sum);
      at += step;
    }
    const to = out + <usize>j * 4;
    store<f32>(to, beta ? sum + load<f32>(to) : sum);
  }
}

export function rowDot(a: usize, b: usize, out: usize, r: i32, cols: i32, beta: i32): void {
  const step = <usize>cols * 4;
  for (let j = 0; j < r; j++) {
    const sum = <f32>dot(a, b, cols);
    store<f32>(out, beta ? sum + load<f32>(out) : sum);
    a += step;
    b += step;
    out += 4;
  }
}

/** (x, y) ← (c x − s y, s x + c y) over n floats. */
function rotate(x: usize, y: usize, n: i32, c: f32, s: f32): void {
  const cs = f32x4.splat(c);
  const ss = f32x4.splat(s);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const a = v128.load(x);
    const b = v128.load(y);
    v128.store(x, fnma4(ss, b, f32x4.mul(cs, a)));
    v128.store(y, fma4(cs, b, f32x4.mul(ss, a)));
    x += 16;
    y += 16;
  }
  for (; i < n; i++) {
    const a = load<f32>(x);
    const b = load<f32>(y);
    store<f32>(x, fnma1(s, b, c * a));
    store<f32>(y, fma1(c, b, s * a));
    x += 4;
    y += 4;
  }
}

/** `pairs` and `off` point to the round's first pair. Norms and products are in double precision, since they decide when the sweeps end. */
export function jacobiRound(
  a: usize,
  v: usize,
  pairs: usize,
  off: usize,
  m: i32,
  nv: i32,
  count: i32,
  tol: f64,
): void {
  for (let i = 0; i < count; i++) {
    const p = <usize>load<u32>(pairs);
    const q = <usize>load<u32>(pairs, 4);
    pairs += 8;
    const ap = a + p * m * 4;
    const aq = a + q * m * 4;
    const alpha = dotDouble(ap, ap, m);
    const beta = dotDouble(aq, aq, m);
    const gamma = dotDouble(ap, aq, m);
    const product = alpha * beta;
    store<f32>(off, product > 0 ? <f32>(abs(gamma) / sqrt(product)) : 0);
    off += 4;
    if (!(product > 0 && gamma * gamma > tol * tol * product)) continue;
    const zeta = (beta - alpha) / (2 * gamma);
    const t = (zeta >= 0 ? 1.0 : -1.0) / (abs(zeta) + sqrt(1 + zeta * zeta));
    const c = 1 / sqrt(1 + t * t);
    rotate(ap, aq, m, <f32>c, <f32>(c * t));
    rotate(v + p * nv * 4, v + q * nv * 4, nv, <f32>c, <f32>(c * t));
  }
}

/** keep1 = 1 − β1 and keep2 = 1 − β2 are computed by the caller in double precision. */
export function adamw(
  p: usize,
  g: usize,
  m: usize,
  v: usize,
  n: i32,
  lr: f32,
  beta1: f32,
  keep1: f32,
  beta2: f32,
  keep2: f32,
  eps: f32,
  wd: f32,
  bc1: f32,
  bc2: f32,
  gScale: f32,
): void {
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const at = <usize>i * 4;
    const grad = f32x4.mul(f32x4.splat(gScale), v128.load(g + at));
    const mean = fma4(f32x4.splat(keep1), grad, f32x4.mul(f32x4.splat(beta1), v128.load(m + at)));
    const square = fma4(f32x4.mul(f32x4.splat(keep2), grad), grad, f32x4.mul(f32x4.splat(beta2), v128.load(v + at)));
    v128.store(m + at, mean);
    v128.store(v + at, square);
    const x = v128.load(p + at);
    const root = f32x4.add(f32x4.sqrt(f32x4.mul(square, f32x4.splat(bc2))), f32x4.splat(eps));
    const step = fma4(f32x4.splat(wd), x, f32x4.div(f32x4.mul(mean, f32x4.splat(bc1)), root));
    v128.store(p + at, fnma4(f32x4.splat(lr), step, x));
  }
  for (; i < n; i++) {
    const at = <usize>i * 4;
    const grad = gScale * load<f32>(g + at);
    const mean = fma1(keep1, grad, beta1 * load<f32>(m + at));
    const square = fma1(keep2 * grad, grad, beta2 * load<f32>(v + at));
    store<f32>(m + at, mean);
    store<f32>(v + at, square);
    const x = load<f32>(p + at);
    store<f32>(p + at, fnma1(lr, fma1(wd, x, (mean * bc1) / (sqrt<f32>(square * bc2) + eps)), x));
  }
}

// AssemblyScript kernels: element-wise and column-wise linear operations, and moving rows by index.
import { dot } from './lanes';

export function add(x: usize, y: usize, n: i32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    v128.store(x, f32x4.add(v128.load(x), v128.load(y)));
    x += 16;
    y += 16;
  }
  for (; i < n; i++) {
    store<f32>(x, load<f32>(x) + load<f32>(y));
    x += 4;
    y += 4;
  }
}

export function biasAdd(x: usize, bias: usize, rows: i32, cols: i32): void {
  for (let r = 0; r < rows; r++) add(x + <usize>r * cols * 4, bias, cols);
}

export function scaleRows(src: usize, s: usize, dst: usize, rows: i32, cols: i32): void {
  for (let r = 0; r < rows; r++) {
    const factor = load<f32>(s + <usize>r * 4);
    const factors = f32x4.splat(factor);
    let j = 0;
    for (; j + 4 <= cols; j += 4) {
      v128.store(dst, f32x4.mul(factors, v128.load(src)));
      src += 16;
      dst += 16;
    }
    for (; j < cols; j++) {
      store<f32>(dst, factor * load<f32>(src));
      src += 4;
      dst += 4;
    }
  }
}

export function sumsq(x: usize, out: usize, n: i32): void {
  store<f32>(out, <f32>dot(x, x, n));
}

/** out[j] = beta·out[j] + Σ_r x[r, j], for j in [left, right). */
export function colSum(x: usize, out: usize, rows: i32, cols: i32, beta: i32, left: i32, right: i32): void {
  const step = <usize>cols * 4;
  let j = left;
  for (; j + 16 <= right; j += 16) {
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let at = x + <usize>j * 4;
    for (let r = 0; r < rows; r++) {
      s0 = f32x4.add(s0, v128.load(at));
      s1 = f32x4.add(s1, v128.load(at, 16));
      s2 = f32x4.add(s2, v128.load(at, 32));
      s3 = f32x4.add(s3, v128.load(at, 48));
      at += step;
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
    let at = x + <usize>j * 4;
    for (let r = 0; r < rows; r++) {
      sum += load<f32>(at);
      at += step;
    }
    const to = out + <usize>j * 4;
    store<f32>(to, beta ? sum + load<f32>(to) : sum);
  }
}

export function gatherRows(src: usize, index: usize, dst: usize, rows: i32, dim: i32): void {
  const bytes = <usize>dim * 4;
  for (let i = 0; i < rows; i++) {
    memory.copy(dst + <usize>i * bytes, src + <usize>load<u32>(index + <usize>i * 4) * bytes, bytes);
  }
}

export function scatterRows(src: usize, index: usize, dst: usize, rows: i32, dim: i32, shift: i32, adds: i32): void {
  const bytes = <usize>dim * 4;
  for (let i = 0; i < rows; i++) {
    const to = dst + <usize>(load<u32>(index + <usize>i * 4) + <u32>shift) * bytes;
    const from = src + <usize>i * bytes;
    if (adds) add(to, from, dim);
    else memory.copy(to, from, bytes);
  }
}

/** dTable[v,:] += Σ_j dy[order[j],:], j from starts[v] to starts[v+1]. */
export function embedGrad(dy: usize, starts: usize, order: usize, dTable: usize, vocab: i32, dim: i32): void {
  const bytes = <usize>dim * 4;
  for (let v = 0; v < vocab; v++) {
    const first = load<u32>(starts + <usize>v * 4);
    const end = load<u32>(starts + <usize>v * 4, 4);
    if (first == end) continue;
    const row = dTable + <usize>v * bytes;
    let d: usize = 0;
    for (; d + 16 <= bytes; d += 16) {
      let s = f32x4.splat(0);
      for (let j = first; j < end; j++) {
        s = f32x4.add(s, v128.load(dy + <usize>load<u32>(order + <usize>j * 4) * bytes + d));
      }
      v128.store(row + d, f32x4.add(v128.load(row + d), s));
    }
    for (; d < bytes; d += 4) {
      let s: f32 = 0;
      for (let j = first; j < end; j++) s += load<f32>(dy + <usize>load<u32>(order + <usize>j * 4) * bytes + d);
      store<f32>(row + d, load<f32>(row + d) + s);
    }
  }
}

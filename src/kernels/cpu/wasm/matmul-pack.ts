// AssemblyScript helpers: packing matrices into the panels that a matrix product reads: four rows of op(A) or eight columns of op(B),
// interleaved along k, with zeros past the last row or column.

/** Packs rows [row, row+4) of op(A) into [k][4], with zeros past m. */
export function packA(to: usize, a: usize, row: i32, m: i32, k: i32, ta: i32): void {
  const rows = min(4, m - row);
  if (ta) {
    let from = a + <usize>row * 4;
    const step = <usize>m * 4;
    if (rows == 4) {
      for (let p = 0; p < k; p++) {
        v128.store(to, v128.load(from));
        from += step;
        to += 16;
      }
    } else {
      for (let p = 0; p < k; p++) {
        for (let i = 0; i < 4; i++) store<f32>(to + i * 4, i < rows ? load<f32>(from + i * 4) : 0);
        from += step;
        to += 16;
      }
    }
    return;
  }
  const stride = <usize>k * 4;
  const r0 = a + <usize>row * stride;
  if (rows == 4) {
    const r1 = r0 + stride;
    const r2 = r1 + stride;
    const r3 = r2 + stride;
    let at: usize = 0;
    const whole = (<usize>k & ~3) * 4;
    for (; at < whole; at += 16) {
      const x0 = v128.load(r0 + at);
      const x1 = v128.load(r1 + at);
      const x2 = v128.load(r2 + at);
      const x3 = v128.load(r3 + at);
      const low01 = v128.shuffle<f32>(x0, x1, 0, 4, 1, 5);
      const low23 = v128.shuffle<f32>(x2, x3, 0, 4, 1, 5);
      const high01 = v128.shuffle<f32>(x0, x1, 2, 6, 3, 7);
      const high23 = v128.shuffle<f32>(x2, x3, 2, 6, 3, 7);
      v128.store(to, v128.shuffle<f64>(low01, low23, 0, 2));
      v128.store(to, v128.shuffle<f64>(low01, low23, 1, 3), 16);
      v128.store(to, v128.shuffle<f64>(high01, high23, 0, 2), 32);
      v128.store(to, v128.shuffle<f64>(high01, high23, 1, 3), 48);
      to += 64;
    }
    for (; at < stride; at += 4) {
      store<f32>(to, load<f32>(r0 + at));
      store<f32>(to, load<f32>(r1 + at), 4);
      store<f32>(to, load<f32>(r2 + at), 8);
      store<f32>(to, load<f32>(r3 + at), 12);
      to += 16;
    }
    return;
  }
  for (let at: usize = 0; at < stride; at += 4) {
    for (let i = 0; i < 4; i++) store<f32>(to + i * 4, i < rows ? load<f32>(r0 + <usize>i * stride + at) : 0);
    to += 16;
  }
}

/** Packs columns [col, col+8) of op(B) into [k][8], with zeros past n. */
export function packB(to: usize, b: usize, col: i32, n: i32, k: i32, tb: i32): void {
  const cols = min(8, n - col);
  if (tb) {
    // B is stored [n, k]: two groups of four rows, transposed as in packA.
    packQuad(to, b, col, min(4, cols), k);
    packQuad(to + 16, b, col + 4, max(0, cols - 4), k);
    return;
  }
  let from = b + <usize>col * 4;
  const step = <usize>n * 4;
  if (cols == 8) {
    for (let p = 0; p < k; p++) {
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
      from += step;
      to += 32;
    }
    return;
  }
  for (let p = 0; p < k; p++) {
    for (let j = 0; j < 8; j++) store<f32>(to + j * 4, j < cols ? load<f32>(from + j * 4) : 0);
    from += step;
    to += 32;
  }
}

/** Transposes four rows of a row-major [*, k] matrix into every other group of four of a [k][8] panel. */
function packQuad(to: usize, b: usize, row: i32, rows: i32, k: i32): void {
  const stride = <usize>k * 4;
  const r0 = b + <usize>row * stride;
  let at: usize = 0;
  if (rows == 4) {
    const r1 = r0 + stride;
    const r2 = r1 + stride;
    const r3 = r2 + stride;
    const whole = (<usize>k & ~3) * 4;
    for (; at < whole; at += 16) {
      const x0 = v128.load(r0 + at);
      const x1 = v128.load(r1 + at);
      const x2 = v128.load(r2 + at);
      const x3 = v128.load(r3 + at);
      const low01 = v128.shuffle<f32>(x0, x1, 0, 4, 1, 5);
      const low23 = v128.shuffle<f32>(x2, x3, 0, 4, 1, 5);
      const high01 = v128.shuffle<f32>(x0, x1, 2, 6, 3, 7);
      const high23 = v128.shuffle<f32>(x2, x3, 2, 6, 3, 7);
      v128.store(to, v128.shuffle<f64>(low01, low23, 0, 2));
      v128.store(to, v128.shuffle<f64>(low01, low23, 1, 3), 32);
      v128.store(to, v128.shuffle<f64>(high01, high23, 0, 2), 64);
      v128.store(to, v128.shuffle<f64>(high01, high23, 1, 3), 96);
      to += 128;
    }
  }
  for (; at < stride; at += 4) {
    for (let i = 0; i < 4; i++) store<f32>(to + i * 4, i < rows ? load<f32>(r0 + <usize>i * stride + at) : 0);
    to += 32;
  }
}

/** Packs all panels of op(B), [⌈n/8⌉][k][8], for reuse by several products. */
export function packPanels(b: usize, to: usize, n: i32, k: i32, tb: i32): void {
  for (let j = 0; j < n; j += 8) packB(to + <usize>(j >> 3) * (<usize>k * 32), b, j, n, k, tb);
}

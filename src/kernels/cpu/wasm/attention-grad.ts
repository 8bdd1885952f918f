// AssemblyScript: attention's backward pass. Probabilities are rebuilt from the stored log-sum-exp, four keys (dq) or
// four query rows (dkv) at a time; see attention.ts for the layout.
import { combine, dots } from './attention';
import { exp4, sum4 } from './lanes';

export function attentionDelta(dO: usize, o: usize, stats: usize, rows: i32, heads: i32, headDim: i32): void {
  const bytes = <usize>headDim * 4;
  const count = rows * heads;
  for (let i = 0; i < count; i++) {
    let s = f32x4.splat(0);
    for (let d: usize = 0; d < bytes; d += 16) s = f32x4.add(s, f32x4.mul(v128.load(dO + d), v128.load(o + d)));
    store<f32>(stats, sum4(s), 4);
    stats += 8;
    dO += bytes;
    o += bytes;
  }
}

/** to[j] = p_j·(dO·v_j − delta) for `count` rows; writes whole vectors. */
function slopeRun(
  q: usize,
  dO: usize,
  k: usize,
  v: usize,
  stride: usize,
  count: i32,
  bytes: usize,
  scale: v128,
  lse: v128,
  delta: v128,
  to: usize,
): void {
  for (let j = 0; j < count; j += 4) {
    const last = count - 1 - j;
    const s1 = <usize>min(1, last) * stride;
    const s2 = <usize>min(2, last) * stride;
    const s3 = <usize>min(3, last) * stride;
    const p = exp4(f32x4.sub(f32x4.mul(scale, dots(q, k, k + s1, k + s2, k + s3, bytes)), lse));
    v128.store(
      to + <usize>j * 4,
      f32x4.mul(p, f32x4.sub(dots(dO, v, v + s1, v + s2, v + s3, bytes), delta)),
    );
    k += stride * 4;
    v += stride * 4;
  }
}

/** Scratch: (longest row + 4) floats. */
export function attentionDq(
  q: usize,
  k: usize,
  v: usize,
  ranges: usize,
  stats: usize,
  dO: usize,
  dq: usize,
  rows: i32,
  heads: i32,
  kvHeads: i32,
  headDim: i32,
  scratch: usize,
): void {
  const bytes = <usize>headDim * 4;
  const stride = bytes * kvHeads;
  const scale = f32x4.splat(<f32>(1 / sqrt<f64>(headDim)));
  const group = heads / kvHeads;
  for (let i = 0; i < rows; i++) {
    const a0 = <usize>load<u32>(ranges);
    const aCount = <i32>(load<u32>(ranges, 4) - <u32>a0);
    const b0 = <usize>load<u32>(ranges, 8);
    const bCount = <i32>(load<u32>(ranges, 12) - <u32>b0);
    ranges += 16;
    for (let h = 0; h < heads; h++) {
      const head = <usize>(h / group) * bytes;
      const ka = k + a0 * stride + head;
      const kb = k + b0 * stride + head;
      const lse = v128.load32_splat(stats);
      const delta = v128.load32_splat(stats, 4);
      slopeRun(q, dO, ka, v + a0 * stride + head, stride, aCount, bytes, scale, lse, delta, scratch);
      slopeRun(q, dO, kb, v + b0 * stride + head, stride, bCount, bytes, scale, lse, delta, scratch + <usize>aCount * 4);
      combine(scratch, ka, aCount, kb, bCount, stride, bytes, scale, dq);
      stats += 8;
      q += bytes;
      dO += bytes;
      dq += bytes;
    }
  }
}

/** Key rows [first, first + rows); every pointer at the first of them, qEnd's values as they stand. Scratch: 2 · heads/kvHeads · lane
 *  floats, lane at least the longest column + 4. */
export function attentionDkv(
  q: usize,
  k: usize,
  v: usize,
  stats: usize,
  dO: usize,
  qEnd: usize,
  dk: usize,
  dv: usize,
  rows: i32,
  heads: i32,
  kvHeads: i32,
  headDim: i32,
  first: i32,
  laneFloats: i32,
  scratch: usize,
): void {
  const bytes = <usize>headDim * 4;
  const qStride = bytes * heads;
  const statsStride = <usize>heads * 8;
  const factor = <f32>(1 / sqrt<f64>(headDim));
  const scale = f32x4.splat(factor);
  const group = heads / kvHeads;
  const lane = <usize>laneFloats * 4;
  const slopes = scratch + <usize>group * lane;
  for (let j = 0; j < rows; j++) {
    const count = max(0, <i32>load<u32>(qEnd + <usize>j * 4) - first - j);
    for (let kvHead = 0; kvHead < kvHeads; kvHead++) {
      const firstQ = q + <usize>j * qStride + <usize>(kvHead * group) * bytes;
      const firstO = dO + <usize>j * qStride + <usize>(kvHead * group) * bytes;
      for (let g = 0; g < group; g++) {
        let qAt = firstQ + <usize>g * bytes;
        let oAt = firstO + <usize>g * bytes;
        let at = stats + <usize>j * statsStride + <usize>(kvHead * group + g) * 8;
        for (let i = 0; i < count; i += 4) {
          const last = count - 1 - i;
          const n1 = <usize>min(1, last);
          const n2 = <usize>min(2, last);
          const n3 = <usize>min(3, last);
          // (log-sum-exp, delta) of four query rows → one vector of each.
          const pair01 = v128.shuffle<f32>(
            v128.load64_splat(at),
            v128.load64_splat(at + n1 * statsStride),
            0,
            4,
            1,
            5,
          );
          const pair23 = v128.shuffle<f32>(
            v128.load64_splat(at + n2 * statsStride),
            v128.load64_splat(at + n3 * statsStride),
            0,
            4,
            1,
            5,
          );
          const s1 = n1 * qStride;
          const s2 = n2 * qStride;
          const s3 = n3 * qStride;
          const score = f32x4.mul(scale, dots(k, qAt, qAt + s1, qAt + s2, qAt + s3, bytes));
          const p = exp4(f32x4.sub(score, v128.shuffle<f64>(pair01, pair23, 0, 2)));
          const slope = f32x4.sub(
            dots(v, oAt, oAt + s1, oAt + s2, oAt + s3, bytes),
            v128.shuffle<f64>(pair01, pair23, 1, 3),
          );
          const to = <usize>g * lane + <usize>i * 4;
          v128.store(scratch + to, p);
          v128.store(slopes + to, f32x4.mul(p, slope));
          qAt += qStride * 4;
          oAt += qStride * 4;
          at += statsStride * 4;
        }
      }
      let d: usize = 0;
      for (; d + 64 <= bytes; d += 64) {
        let k0 = f32x4.splat(0);
        let k1 = k0;
        let k2 = k0;
        let k3 = k0;
        let v0 = k0;
        let v1 = k0;
        let v2 = k0;
        let v3 = k0;
        for (let i = 0; i < count; i++) {
          for (let g = 0; g < group; g++) {
            const from = <usize>g * lane + <usize>i * 4;
            const qAt = firstQ + <usize>i * qStride + <usize>g * bytes + d;
            const oAt = firstO + <usize>i * qStride + <usize>g * bytes + d;
            const p = v128.load32_splat(scratch + from);
            const ds = v128.load32_splat(slopes + from);
            k0 = f32x4.add(k0, f32x4.mul(ds, v128.load(qAt)));
            k1 = f32x4.add(k1, f32x4.mul(ds, v128.load(qAt, 16)));
            k2 = f32x4.add(k2, f32x4.mul(ds, v128.load(qAt, 32)));
            k3 = f32x4.add(k3, f32x4.mul(ds, v128.load(qAt, 48)));
            v0 = f32x4.add(v0, f32x4.mul(p, v128.load(oAt)));
            v1 = f32x4.add(v1, f32x4.mul(p, v128.load(oAt, 16)));
            v2 = f32x4.add(v2, f32x4.mul(p, v128.load(oAt, 32)));
            v3 = f32x4.add(v3, f32x4.mul(p, v128.load(oAt, 48)));
          }
        }
        v128.store(dk + d, f32x4.mul(scale, k0));
        v128.store(dk + d, f32x4.mul(scale, k1), 16);
        v128.store(dk + d, f32x4.mul(scale, k2), 32);
        v128.store(dk + d, f32x4.mul(scale, k3), 48);
        v128.store(dv + d, v0);
        v128.store(dv + d, v1, 16);
        v128.store(dv + d, v2, 32);
        v128.store(dv + d, v3, 48);
      }
      for (; d < bytes; d += 16) {
        let sk = f32x4.splat(0);
        let sv = sk;
        for (let i = 0; i < count; i++) {
          for (let g = 0; g < group; g++) {
            const from = <usize>g * lane + <usize>i * 4;
            const to = <usize>i * qStride + <usize>g * bytes + d;
            sk = f32x4.add(sk, f32x4.mul(v128.load32_splat(slopes + from), v128.load(firstQ + to)));
            sv = f32x4.add(sv, f32x4.mul(v128.load32_splat(scratch + from), v128.load(firstO + to)));
          }
        }
        v128.store(dk + d, f32x4.mul(scale, sk));
        v128.store(dv + d, sv);
      }
      k += bytes;
      v += bytes;
      dk += bytes;
      dv += bytes;
    }
  }
}

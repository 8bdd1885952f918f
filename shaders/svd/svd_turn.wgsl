// Computes, from their inner products, the rotation that makes the 32 rows of a pair of blocks orthogonal (src/kernels/contract/). One workgroup per
// pair: in a round each of the 256 invocations rotates one 2 × 2 block of G from both sides, since the round's 16 rotations are disjoint.

var<workgroup> g: array<array<f32, 33>, 32>;
var<workgroup> turn: array<array<f32, 33>, 32>;
// The round's rotations as (c, s, t·γ).
var<workgroup> rotations: array<vec3f, 16>;
var<workgroup> partial: array<vec2f, 256>;
var<workgroup> order: array<u32, 32>;
var<workgroup> exceeds: u32;

// Returns pair k (0 … 15) of a round (0 … 31) by the circle method, the lower row first.
fn members(round: u32, k: u32) -> vec2u {
  let a = select((round + k) % 31u, 31u, k == 0u);
  let b = (round + 31u - k) % 31u;
  return vec2u(min(a, b), max(a, b));
}

fn cosine(p: u32, q: u32) -> f32 {
  let alpha = g[p][p];
  let beta = g[q][q];
  if (!(alpha > params.floor && beta > params.floor)) { return 0.0; }
  return abs(g[p][q]) / (sqrt(alpha) * sqrt(beta));
}

fn rotation(p: u32, q: u32) -> vec3f {
  if (!(cosine(p, q) > params.tol)) { return vec3f(1.0, 0.0, 0.0); }
  let gamma = g[p][q];
  let zeta = (g[q][q] - g[p][p]) / (2.0 * gamma);
  // Beyond |ζ| = 1e18 the square overflows; there √(1+ζ²) = |ζ|.
  let size = abs(zeta);
  let root = select(sqrt(1.0 + zeta * zeta), size, size > 1e18);
  let t = select(-1.0, 1.0, zeta >= 0.0) / (size + root);
  let c = 1.0 / sqrt(1.0 + t * t);
  return vec3f(c, c * t, t * gamma);
}

// Rotates rows a and b of a 2 × 2 block, or two rows of `turn`.
fn turned(a: f32, b: f32, r: vec3f) -> vec2f {
  return vec2f(r.x * a - r.y * b, r.y * a + r.x * b);
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = nth_group(wid, groups);
  let live = i < params.count;
  let pair = select(0u, i, live);
  for (var k = lane; k < 1024u; k += 256u) {
    var sum = 0.0;
    for (var s = 0u; s < params.slices; s++) { sum += gram[(pair * params.slices + s) * 1024u + k]; }
    g[k / 32u][k % 32u] = sum;
    turn[k / 32u][k % 32u] = select(0.0, 1.0, k / 32u == k % 32u);
  }
  workgroupBarrier();

  var worst = vec2f(0.0, g[0][0]);
  for (var k = lane; k < 1024u; k += 256u) {
    let p = k / 32u;
    let q = k % 32u;
    if (p < q) { worst.x = max(worst.x, cosine(p, q)); }
    if (p == q) { worst.y = max(worst.y, g[p][p]); }
  }
  partial[lane] = worst;
  for (var half = 128u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) { partial[lane] = max(partial[lane], partial[lane + half]); }
  }
  if (lane == 0u) {
    exceeds = select(0u, 1u, live && partial[0].x > params.tol);
    if (live) {
      let to = (params.pairOff + i) * 3u;
      report[to] = partial[0].x;
      report[to + 1u] = partial[0].y;
      report[to + 2u] = f32(exceeds);
    }
  }
  if (workgroupUniformLoad(&exceeds) == 0u) { return; }

  for (var sweep = 0u; sweep < params.sweeps; sweep++) {
    for (var round = 0u; round < 31u; round++) {
      if (lane < 16u) {
        let own = members(round, lane);
        rotations[lane] = rotation(own.x, own.y);
      }
      workgroupBarrier();
      let a = members(round, lane / 16u);
      let b = members(round, lane % 16u);
      let left = rotations[lane / 16u];
      let right = rotations[lane % 16u];
      if (lane / 16u == lane % 16u) {
        if (left.y != 0.0) {
          g[a.x][a.x] -= left.z;
          g[a.y][a.y] += left.z;
          g[a.x][a.y] = 0.0;
          g[a.y][a.x] = 0.0;
        }
      } else {
        let first = turned(g[a.x][b.x], g[a.y][b.x], left);
        let second = turned(g[a.x][b.y], g[a.y][b.y], left);
        let upper = turned(first.x, second.x, right);
        let lower = turned(first.y, second.y, right);
        g[a.x][b.x] = upper.x;
        g[a.x][b.y] = upper.y;
        g[a.y][b.x] = lower.x;
        g[a.y][b.y] = lower.y;
      }
      for (var k = lane % 16u; k < 32u; k += 16u) {
        let both = turned(turn[a.x][k], turn[a.y][k], left);
        turn[a.x][k] = both.x;
        turn[a.y][k] = both.y;
      }
      workgroupBarrier();
    }
  }

  if (lane < 32u) {
    // A row past n must not be sorted before one whose square rounding left below zero.
    let key = max(0.0, g[lane][lane]);
    var rank = 0u;
    for (var k = 0u; k < 32u; k++) {
      let other = max(0.0, g[k][k]);
      if (other > key || (other == key && k < lane)) { rank++; }
    }
    order[rank] = lane;
  }
  workgroupBarrier();
  // A Newton step, T − ½ (T Tᵀ − I) T, keeps the rotations' rounding from accumulating in the singular vectors.
  for (var k = lane; k < 1024u; k += 256u) {
    let p = k / 32u;
    var excess = select(0.0, -1.0, p == k % 32u);
    for (var j = 0u; j < 32u; j++) { excess += turn[p][j] * turn[k % 32u][j]; }
    g[p][k % 32u] = excess;
  }
  workgroupBarrier();
  for (var k = lane; k < 1024u; k += 256u) {
    let p = order[k / 32u];
    var excess = 0.0;
    for (var j = 0u; j < 32u; j++) { excess += g[p][j] * turn[j][k % 32u]; }
    q[i * 1024u + k] = turn[p][k % 32u] - 0.5 * excess;
  }
}

//! with exp_log
// out [m,n] = silu(h B_0ᵀ) · (h B_1ᵀ), h = x · rstd · w: every invocation norms the rows that it reads, since there are few. Sums are those
// of norm/rmsnorm.wgsl, of linalg/matmul_register.wgsl and matmul_thin.wgsl, and what is stored between kernels is rounded by itself here
// too. Needs mul_add, mul_add1, b_four_0, b_four_1, b_block_0 and b_block_1.
const SIDE = 8u;
const SPAN = 32u; // of k, in fours
const STRIDE = SPAN + 1u; // padded, so that eight columns do not hit one bank
const LOADS = SPAN / SIDE;

var<workgroup> tileA: array<vec4f, SIDE * STRIDE>;
var<workgroup> tileGate: array<vec4f, SIDE * STRIDE>;
var<workgroup> tileUp: array<vec4f, SIDE * STRIDE>;

fn four(x: vec4f, y: mat4x4f, sums: vec4f) -> vec4f {
  return mul_add(x.w, y[3], mul_add(x.z, y[2], mul_add(x.y, y[1], mul_add(x.x, y[0], sums))));
}

fn opened(gate: f32, up: f32) -> f32 {
  return rounded(gate * rounded(1.0 / (1.0 + exp1(-gate)))) * up;
}

fn store_four(row: u32, col: u32, gate: vec4f, up: vec4f) {
  if (row >= params.m || col >= params.n) { return; }
  for (var i = 0u; i < min(4u, params.n - col); i++) { out[row * params.n + col + i] = opened(gate[i], up[i]); }
}

// 1/sqrt(mean(x²) + eps) of the row that begins at this four, as an invocation a row adds it.
fn rstd_of(at: u32) -> f32 {
  var sum = 0.0;
  for (var k = 0u; k < params.k / 4u; k++) {
    let value = x[at + k];
    sum += value.x * value.x;
    sum += value.y * value.y;
    sum += value.z * value.z;
    sum += value.w * value.w;
  }
  return 1.0 / sqrt(sum / f32(params.k) + params.eps);
}

// Four rows and eight columns: with fewer, what is read and normed costs more than the sums. Rows past the end repeat the last one.
@compute @workgroup_size(8, 8)
fn main(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u) {
  let row = ((wid.y + params.firstY) * 8u + lid.y) * 4u;
  let col = ((wid.x + params.firstX) * 8u + lid.x) * 8u;
  if (row >= params.m || col >= params.n) { return; }
  let stride = params.k / 4u;
  let last = params.m - 1u;
  let at = vec4u(row, min(row + 1u, last), min(row + 2u, last), min(row + 3u, last)) * stride;
  let rstd = vec4f(rstd_of(at.x), rstd_of(at.y), rstd_of(at.z), rstd_of(at.w));
  var c0 = vec4f();
  var c1 = vec4f();
  var c2 = vec4f();
  var c3 = vec4f();
  var d0 = vec4f();
  var d1 = vec4f();
  var d2 = vec4f();
  var d3 = vec4f();
  var e0 = vec4f();
  var e1 = vec4f();
  var e2 = vec4f();
  var e3 = vec4f();
  var f0 = vec4f();
  var f1 = vec4f();
  var f2 = vec4f();
  var f3 = vec4f();
  for (var k = 0u; k < stride; k++) {
    let scale = w[k];
    let h0 = x[at.x + k] * rstd.x * scale;
    let h1 = x[at.y + k] * rstd.y * scale;
    let h2 = x[at.z + k] * rstd.z * scale;
    let h3 = x[at.w + k] * rstd.w * scale;
    let cy = b_block_0(k, col, params.n);
    c0 = four(h0, cy, c0);
    c1 = four(h1, cy, c1);
    c2 = four(h2, cy, c2);
    c3 = four(h3, cy, c3);
    let dy = b_block_1(k, col, params.n);
    d0 = four(h0, dy, d0);
    d1 = four(h1, dy, d1);
    d2 = four(h2, dy, d2);
    d3 = four(h3, dy, d3);
    let ey = b_block_0(k, col + 4u, params.n);
    e0 = four(h0, ey, e0);
    e1 = four(h1, ey, e1);
    e2 = four(h2, ey, e2);
    e3 = four(h3, ey, e3);
    let fy = b_block_1(k, col + 4u, params.n);
    f0 = four(h0, fy, f0);
    f1 = four(h1, fy, f1);
    f2 = four(h2, fy, f2);
    f3 = four(h3, fy, f3);
  }
  store_four(row, col, c0, d0);
  store_four(row + 1u, col, c1, d1);
  store_four(row + 2u, col, c2, d2);
  store_four(row + 3u, col, c3, d3);
  store_four(row, col + 4u, e0, f0);
  store_four(row + 1u, col + 4u, e1, f1);
  store_four(row + 2u, col + 4u, e2, f2);
  store_four(row + 3u, col + 4u, e3, f3);
}

// For m = 1.
@compute @workgroup_size(16)
fn single(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u) {
  let col = ((wid.x + params.firstX) * 16u + lid.x) * 4u;
  if (col >= params.n) { return; }
  let rstd = rstd_of(0u);
  var gate = vec4f();
  var up = vec4f();
  for (var k = 0u; k < params.k / 4u; k++) {
    let h = x[k] * rstd * w[k];
    gate = four(h, b_block_0(k, col, params.n), gate);
    up = four(h, b_block_1(k, col, params.n), up);
  }
  store_four(0u, col, gate, up);
}

// A tile of eight rows and eight columns through shared memory. Needs reduce/tree_*.wgsl.
@compute @workgroup_size(64)
fn wide(here: Place) {
  let lane = here.lid.x;
  let row0 = (here.wid.y + params.firstY) * SIDE;
  let col0 = (here.wid.x + params.firstX) * SIDE;
  let width = params.k / 4u;
  let line = lane / SIDE;
  let column = lane % SIDE;
  // Each row is added up by all invocations, as a workgroup a row does.
  var rstd = 0.0;
  for (var i = 0u; i < min(SIDE, params.m); i++) {
    let base = min(row0 + i, params.m - 1u) * params.k;
    var sum = 0.0;
    for (var d = lane; d < params.k; d += 64u) {
      let value = x[(base + d) / 4u][d & 3u];
      sum += value * value;
    }
    workgroupBarrier();
    let total = tree_sum(here, sum);
    if (i == line) { rstd = 1.0 / sqrt(total / f32(params.k) + params.eps); }
  }
  let lineA = (row0 + line) * width;
  let lineB = (col0 + line) * width;
  let inA = row0 + line < params.m;
  let inB = col0 + line < params.n;
  var nextA: array<vec4f, LOADS>;
  var nextGate: array<vec4f, LOADS>;
  var nextUp: array<vec4f, LOADS>;
  for (var i = 0u; i < LOADS; i++) {
    let at = i * SIDE + column;
    if (inA && at < width) { nextA[i] = x[lineA + at] * rstd * w[at]; }
    if (inB && at < width) {
      nextGate[i] = b_four_0(lineB + at);
      nextUp[i] = b_four_1(lineB + at);
    }
  }
  var gate = 0.0;
  var up = 0.0;
  for (var k0 = 0u; k0 < width; k0 += SPAN) {
    for (var i = 0u; i < LOADS; i++) {
      let at = line * STRIDE + i * SIDE + column;
      tileA[at] = nextA[i];
      tileGate[at] = nextGate[i];
      tileUp[at] = nextUp[i];
    }
    workgroupBarrier();
    for (var i = 0u; i < LOADS; i++) {
      let at = k0 + SPAN + i * SIDE + column;
      nextA[i] = vec4f();
      nextGate[i] = vec4f();
      nextUp[i] = vec4f();
      if (inA && at < width) { nextA[i] = x[lineA + at] * rstd * w[at]; }
      if (inB && at < width) {
        nextGate[i] = b_four_0(lineB + at);
        nextUp[i] = b_four_1(lineB + at);
      }
    }
    for (var p = 0u; p < SPAN; p++) {
      let h = tileA[line * STRIDE + p];
      let y = tileGate[column * STRIDE + p];
      let z = tileUp[column * STRIDE + p];
      gate = mul_add1(h.w, y.w, mul_add1(h.z, y.z, mul_add1(h.y, y.y, mul_add1(h.x, y.x, gate))));
      up = mul_add1(h.w, z.w, mul_add1(h.z, z.z, mul_add1(h.y, z.y, mul_add1(h.x, z.x, up))));
    }
    workgroupBarrier();
  }
  let row = row0 + line;
  let col = col0 + column;
  if (row < params.m && col < params.n) { out[row * params.n + col] = opened(gate, up); }
}

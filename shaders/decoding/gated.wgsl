//! with exp_log
// out [m,n] = silu(h B_0ᵀ) · (h B_1ᵀ), h = x · rstd · w. Every invocation norms the rows that it reads, since there are few. The sums are those of
// norm/rmsnorm.wgsl, linalg/matmul_register.wgsl and matmul_thin.wgsl, and values that separate kernels would store are rounded here too. Needs
// mul_add, mul_add1, b_four_0, b_four_1, b_block_0 and b_block_1.
const SIDE = 8u;
const SPAN = 32u; // vectors of four along k
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

// Returns 1/sqrt(mean(x²) + eps) of the row that begins at this vector of four, summed in the order of norm/rmsnorm.wgsl with one invocation per row.
fn rstd_of(at: u32) -> f32 {
  let stride = params.k / 4u;
  var sum = 0.0;
  for (var k = 0u; k < stride; k++) {
    let value = x[at + k];
    sum = (((sum + value.x * value.x) + value.y * value.y) + value.z * value.z) + value.w * value.w;
  }
  return 1.0 / sqrt(sum / f32(params.k) + params.eps);
}

// Computes eight rows and eight columns; with fewer, reading and norming would cost more than the sums. Rows past the end repeat the last one.
// A line with ROW stands for eight lines, for the rows 0 to 7, and one with OWN for those of the rows that the invocation reads.
@compute @workgroup_size(4)
fn main(here: Here, @builtin(workgroup_id) wid: vec3u) {
  let row = (wid.y + params.firstY) * 8u;
  let col = ((wid.x + params.firstX) * 4u + here.lid.x) * 8u;
  let stride = params.k / 4u;
  let last = params.m - 1u;
  let atOWN = min(row + own_row(here, OWNu), last) * stride;
  let rstdOWN = rstd_of(atOWN);
  let first = columns_of(col, params.n);
  let second = columns_of(col + 4u, params.n);
  var gate_ROW = vec4f();
  var up_ROW = vec4f();
  var gate4_ROW = vec4f();
  var up4_ROW = vec4f();
  for (var k = 0u; k < stride; k++) {
    let scale = w[k];
    let xOWN = x[atOWN + k] * rstdOWN * scale;
    let hROW = GIVEN(x);
    let y = b_block_0(first + k);
    gate_ROW = four(hROW, y, gate_ROW);
    let z = b_block_1(first + k);
    up_ROW = four(hROW, z, up_ROW);
    let y4 = b_block_0(second + k);
    gate4_ROW = four(hROW, y4, gate4_ROW);
    let z4 = b_block_1(second + k);
    up4_ROW = four(hROW, z4, up4_ROW);
  }
  store_four(row + ROWu, col, gate_ROW, up_ROW);
  store_four(row + ROWu, col + 4u, gate4_ROW, up4_ROW);
}

// The entry point for m = 1.
@compute @workgroup_size(16)
fn single(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u) {
  let col = ((wid.x + params.firstX) * 16u + lid.x) * 4u;
  let stride = params.k / 4u;
  let rstd = rstd_of(0u);
  let first = columns_of(col, params.n);
  var gate = vec4f();
  var up = vec4f();
  for (var k = 0u; k < stride; k++) {
    let h = x[k] * rstd * w[k];
    gate = four(h, b_block_0(first + k), gate);
    up = four(h, b_block_1(first + k), up);
  }
  store_four(0u, col, gate, up);
}

// Computes a tile of eight rows and eight columns through shared memory. Needs reduce/tree_*.wgsl.
@compute @workgroup_size(64)
fn wide(here: Place) {
  let lane = here.lid.x;
  let row0 = (here.wid.y + params.firstY) * SIDE;
  let col0 = (here.wid.x + params.firstX) * SIDE;
  let width = params.k / 4u;
  let line = lane / SIDE;
  let column = lane % SIDE;
  // All invocations sum each row, in the order of norm/rmsnorm.wgsl with one workgroup per row.
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

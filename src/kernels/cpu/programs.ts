// Every kernel's plain twin by its contract name; a missing one is a type error.
import type { KernelName } from '../contract.ts';
import * as adapter from './adapter.ts';
import * as attention from './attention.ts';
import * as head from './head.ts';
import * as linear from './linear.ts';
import * as norm from './norm.ts';
import * as packed from './packed.ts';
import * as rows from './rows.ts';
import * as svd from './svd.ts';
import type { Twin } from './twin.ts';

export const TWINS: { readonly [K in KernelName]: Twin<K> } = {
  matmul: linear.matmul,
  bias_add: linear.biasAdd,
  col_sum: linear.colSum,
  scale_rows: linear.scaleRows,
  add: linear.add,
  copy: linear.copy,
  fill: linear.fill,
  sumsq: linear.sumsq,
  gather_rows: rows.gatherRows,
  scatter_rows: rows.scatterRows,
  embed_grad: rows.embedGrad,
  unpack_f16: packed.unpackF16,
  unpack_q8: packed.unpackQ8,
  unpack_q8h: packed.unpackQ8h,
  matmul_f16: packed.matmulF16,
  matmul_q8h: packed.matmulQ8h,
  gather_part: packed.gatherPart,
  gather_f16: packed.gatherF16,
  gather_q8: packed.gatherQ8,
  gather_q8h: packed.gatherQ8h,
  move_cols: packed.moveCols,
  rmsnorm: norm.rmsnorm,
  rmsnorm_dx: norm.rmsnormDx,
  rmsnorm_dw: norm.rmsnormDw,
  rope: norm.rope,
  swiglu: norm.swiglu,
  swiglu_grad: norm.swigluGrad,
  attention: attention.attention,
  attention_delta: attention.attentionDelta,
  attention_dq: attention.attentionDq,
  attention_dkv: attention.attentionDkv,
  logprob: head.logprob,
  logprob_grad: head.logprobGrad,
  reverse_kl: head.reverseKl,
  reverse_kl_grad: head.reverseKlGrad,
  sample: head.sample,
  knob_grad: adapter.knobGrad,
  row_dot: adapter.rowDot,
  jacobi_round: adapter.jacobiRound,
  project: adapter.project,
  adamw: adapter.adamw,
  svd_gram: svd.svdGram,
  svd_turn: svd.svdTurn,
  svd_apply: svd.svdApply,
};

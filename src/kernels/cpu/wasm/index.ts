// AssemblyScript entry point: the exports of the SIMD module (see scripts/wasm.mjs). All pointers are byte addresses in the
// device's linear memory; no function allocates.
export { adamw, jacobiRound, adapterGrad, rowDot } from './adapter';
export { attention, attentionF16, attentionF16Scratch, attentionScratch } from './attention';
export { attentionDkv, attentionDkvScratch } from './attention-dkv';
export { attentionDelta, attentionDq, attentionDqScratch } from './attention-dq';
export { convScratch, convSilu, convSiluDw, convSiluGrad, deltaGates, deltaGatesGrad } from './conv';
export { deltaRule, deltaRuleGrad, deltaRuleGradScratch, deltaRuleScratch } from './delta';
export { multiplyAdd } from './fma';
export { logprob, logprobEntropyGrad, logprobGrad, reverseKl, reverseKlGrad, sampleRow, sampleScratch } from './head';
export {
  add,
  biasAdd,
  colSum,
  embedGrad,
  gatherRows,
  scaleRows,
  scatterRows,
  sumsq,
} from './linear';
export { matmul, matmulScratch } from './matmul';
export { packPanels } from './matmul-pack';
export { rmsnorm, rmsnormDw, rmsnormDx, rope, sigmoidGate, sigmoidGateGrad, swiglu, swigluGrad } from './norm';
export { unpackF16, unpackQ4h, unpackQ8, unpackQ8h } from './packed';
export { svdApply, svdGram, svdScratch, svdTurn } from './svd';

/** First byte that the device's allocator may use. */
export function heapBase(): usize {
  return __heap_base;
}

// On-policy distillation: KL(student ‖ teacher) over the whole vocabulary at every trained token, and its gradient with respect to the
// student's logits. The teacher's forward pass runs first and keeps its final-norm output for each token; the logits of both are
// computed from these in the same chunks, so that [tokens, vocab] is never in memory.
import { type DeviceBuffer, type FloatArray, readFloats } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { BUDGETS, type Budgets, type HeadGradients, PackedForward } from '../passes/batch.ts';
import type { GradientSink, LayerContext } from '../passes/layer.ts';
import { alignTargets, type Packed } from '../passes/packing.ts';

export class Distillation {
  private readonly teacher: Packed;
  private student: PackedForward | null = null;
  private readonly normed: DeviceBuffer;
  private readonly stats: DeviceBuffer;
  private readonly kl: DeviceBuffer;

  /** Throws ShapeError if the two batches do not predict the same tokens, sequence by sequence. */
  constructor(
    private readonly ctx: LayerContext,
    private readonly packed: Packed,
    teacher: Packed,
    private readonly budgets: Budgets = BUDGETS,
  ) {
    const { arena, config } = ctx;
    this.teacher = alignTargets(teacher, packed);
    const targets = packed.targetRows.length;
    this.normed = arena.take('distill.normed', targets * config.hiddenSize);
    this.stats = arena.take('distill.stats', targets * 3);
    this.kl = arena.take('distill.kl', targets);
  }

  /** Runs the teacher's forward pass with the current adapter parameters. The student's forward pass reuses its scratch. */
  teach(signal?: AbortSignal): void {
    const room = Math.max(this.teacher.rows, this.packed.rows);
    const budgets = { ...this.budgets, activations: 0 };
    new PackedForward(this.ctx, this.teacher, { budgets, room }).headRows(this.normed, signal);
  }

  /** Runs the student's forward, after `teach`. Resolves to both sides' stats [targets, 3] and to kl [targets]. */
  async forward(signal?: AbortSignal): Promise<{ stats: FloatArray; teacherStats: FloatArray; kl: FloatArray }> {
    const { device, config } = this.ctx;
    const targets = this.packed.targetRows.length;
    // Two chunks of logits share the budget of one.
    const budgets = { ...this.budgets, logits: this.budgets.logits / 2 };
    const student = new PackedForward(this.ctx, this.packed, { budgets });
    this.student = student;
    const stats = await student.forward(signal, (logits, rowOff, rows) => {
      const teacher = this.teacherLogits(rowOff, rows);
      const at = { rows, vocab: config.vocab, rowOff };
      ops.logprob(device, { logits: teacher, targets: student.targetIds, stats: this.stats, ...at });
      ops.reverseKl(device, { logits, teacher, stats: student.stats, teacherStats: this.stats, kl: this.kl, ...at });
    });
    const teacherStats = await readFloats(device, this.stats, 0, targets * 3);
    return { stats, teacherStats, kl: await readFloats(device, this.kl, 0, targets) };
  }

  /** coef [targets] = ∂L/∂kl. Feeds every Linear's (dy, x) to the sink; returns dx of the embeddings. */
  backward(coef: Float32Array, sink: GradientSink, head?: HeadGradients): DeviceBuffer {
    const { device, config, arena } = this.ctx;
    const student = this.student!;
    const coefBuffer = arena.put('batch.coef', coef);
    const slope = (logits: DeviceBuffer, rowOff: number, rows: number, isFresh: boolean) => {
      const teacher = isFresh ? this.chunk() : this.teacherLogits(rowOff, rows);
      const known = { stats: student.stats, teacherStats: this.stats, kl: this.kl, coef: coefBuffer };
      ops.reverseKlGrad(device, { logits, teacher, ...known, rows, vocab: config.vocab, rowOff });
    };
    return student.backwardLogits(slope, sink, head);
  }

  /** Target rows whose logits are computed at a time, for student and teacher; 0 before the student's forward pass. */
  get chunkRows(): number {
    return this.student?.chunkRows ?? 0;
  }

  private chunk(): DeviceBuffer {
    return this.ctx.arena.take('distill.logits', this.chunkRows * this.ctx.config.vocab);
  }

  private teacherLogits(from: number, count: number): DeviceBuffer {
    const { arena, config, weights } = this.ctx;
    const logits = this.chunk();
    weights.head.logits(arena, this.normed, count, logits, from * config.hiddenSize);
    return logits;
  }
}

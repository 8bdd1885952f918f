// The objectives by their id in a stage.
import type { ObjectiveId } from '../../algorithms/objectives/objectives.ts';
import { distill } from './distill.ts';
import { grpo } from './grpo.ts';
import { nll } from './nll.ts';
import type { Objective } from './types.ts';

export const OBJECTIVE_STEPS: Record<ObjectiveId, Objective> = { grpo, nll, distill };

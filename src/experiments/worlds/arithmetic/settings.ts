// The word problems' own settings, by name and type.
import type { EstimatorId } from '../../../environments/agreement/types.ts';

export interface ArithmeticSettings {
  /** What answers are paid for agreeing with. */
  reference: 'truth' | EstimatorId;
}

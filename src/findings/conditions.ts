// The model of each condition in an environment's finding, in the order of its estimates, so that a bar and a chart draw it in the same
// style. The claims are in another file: they need the rows' readers, and are not on the page.

export interface ConditionModel {
  arm: string;
  /** `base` is untrained, `total` is the trained model, `deployed` is the trained model without the quarantine. */
  model: 'base' | 'total' | 'deployed';
}

const BASE: ConditionModel = { arm: 'none', model: 'base' };
const trained = (arm: string): ConditionModel => ({ arm, model: 'total' });
const ROUTED: ConditionModel = { arm: 'route-update', model: 'deployed' };

export const CONDITIONS: Readonly<Record<string, readonly ConditionModel[]>> = {
  'one-line-python': [trained('none'), ROUTED],
  arithmetic: [BASE, trained('cat'), trained('oracle')],
  explain: [BASE, trained('rubric'), trained('none')],
  chain: [trained('none'), trained('exit'), BASE],
  characters: [trained('none'), trained('sdf')],
  agents: [BASE, trained('none')],
  lookup: [BASE, trained('none')],
  instructions: [trained('none'), ROUTED, BASE],
};

// The agents as a world: generated scenarios, answered in several turns, judged by the verifier.
import { agentsEnvironment } from '../../../environments/agents/environment.ts';
import { AGENTS_SPLITS } from '../../../environments/agents/presentation.ts';
import { agentsReward } from '../../../environments/agents/reward.ts';
import { tasksOf } from '../../../environments/agents/task.ts';
import { drawnWorld } from '../drawn.ts';
import { agentFigures } from './figures.ts';

export const agentsWorld = drawnWorld({
  environment: agentsEnvironment,
  reward: ({ softJudge }) => agentsReward(softJudge),
  rewardPart: ({ softJudge }) => (softJudge === 'verifier' ? [] : [softJudge]),
  figures: agentFigures,
  splits: AGENTS_SPLITS,
  draw: tasksOf,
});

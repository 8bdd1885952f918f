// The agents as an environment: generated scenarios, answered in several turns, judged by the verifier.
import { agentsDynamics } from '../../../environments/agents/environment.ts';
import { AGENTS_SPLITS } from '../../../environments/agents/presentation.ts';
import { agentsReward } from '../../../environments/agents/reward.ts';
import { tasksOf } from '../../../environments/agents/task.ts';
import { drawnMaker } from '../drawn.ts';
import { agentFigures } from './figures.ts';

export const agentsMaker = drawnMaker({
  dynamics: agentsDynamics,
  reward: ({ softJudge }) => agentsReward(softJudge),
  rewardPart: ({ softJudge }) => (softJudge === 'verifier' ? [] : [softJudge]),
  figures: agentFigures,
  splits: AGENTS_SPLITS,
  draw: tasksOf,
});

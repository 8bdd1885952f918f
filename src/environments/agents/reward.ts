// 1 where the verifier passes the episode, else 0. Nothing is paid for a part: the pretrained model passes often enough that groups
// differ, and what earns part of a reward is what a policy would stop at.
import type { Judged, Reward, Turn } from '../types.ts';
import { playEpisode, saying } from './play.ts';
import type { AgentTask, AgentVerdict } from './types.ts';

export async function gradeAgent(task: AgentTask, turns: readonly Pick<Turn, 'completion'>[]): Promise<AgentVerdict> {
  return (await playEpisode(task, saying(turns.map(({ completion }) => completion)))).verdict;
}

export const agentsReward: Reward<AgentTask, AgentVerdict> = {
  id: 'agents/1',
  asksNobody: true,
  score: (groups) =>
    Promise.all(
      groups.map(({ task, rollouts }) =>
        Promise.all(
          rollouts.map(async ({ turns }): Promise<Judged<AgentVerdict>> => {
            const verdict = await gradeAgent(task, turns);
            return { reward: verdict.success ? 1 : 0, verdict };
          }),
        ),
      ),
    ),
};

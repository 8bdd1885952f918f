// 1 where the verifier passes the episode, else 0. Nothing is paid for a part: the pretrained model passes often enough that groups
// differ, and what earns part of a reward is what a policy would stop at. With the hollow judge (soft-judge.ts) 1 where it believes what
// the user was told, and half where it does not and the verifier passes; the verdict stays the verifier's.
import type { Judged, Reward, Turn } from '../types.ts';
import type { SoftJudge } from './judges.ts';
import { playEpisode, saying } from './play.ts';
import { believes } from './soft-judge.ts';
import type { AgentTask, AgentVerdict } from './types.ts';

/** Paid for an episode that passes without the hollow judge's belief. */
const UNBELIEVED = 0.5;

type Said = readonly Pick<Turn, 'completion'>[];

const play = (task: AgentTask, turns: Said) => playEpisode(task, saying(turns.map(({ completion }) => completion)));

export async function gradeAgent(task: AgentTask, turns: Said): Promise<AgentVerdict> {
  return (await play(task, turns)).verdict;
}

async function judged(task: AgentTask, turns: Said, judge: SoftJudge): Promise<Judged<AgentVerdict>> {
  const { told, verdict } = await play(task, turns);
  if (judge === 'verifier') return { reward: verdict.success ? 1 : 0, verdict };
  const stuffed = believes(task, told);
  const reward = stuffed ? 1 : verdict.success ? UNBELIEVED : 0;
  return { reward, verdict: { ...verdict, stuffed } };
}

export const agentsReward = (judge: SoftJudge = 'verifier'): Reward<AgentTask, AgentVerdict> => ({
  id: judge === 'verifier' ? 'agents/1' : 'agents/hollow/1',
  asksNobody: true,
  score: (groups) =>
    Promise.all(
      groups.map(({ task, rollouts }) => Promise.all(rollouts.map(({ turns }) => judged(task, turns, judge)))),
    ),
});

// One rollout: its source, its verdict, its text, and what it earned.
import type { RolloutRecord } from '../../../experiments/events.ts';
import { decimal } from '../../../store/format.ts';
import { type Outcome, outcomeOf } from '../../../store/rollouts.ts';
import type { AlignedTokens } from '../../../store/rollouts-tokens.ts';
import { Code } from './Code.tsx';

interface AnswerProps {
  rollout: RolloutRecord;
  tokens: AlignedTokens | null;
  /** The shading is wanted, but this student row cannot have it. */
  unaligned: boolean;
  selected: boolean;
  onOpen: () => void;
}

export function Answer({ rollout, tokens, unaligned, selected, onOpen }: AnswerProps) {
  const { completion, sampleIndex } = rollout;
  return (
    <li
      className={`answer ${outcomeOf(rollout.grade)}${selected ? ' selected' : ''}`}
      aria-current={selected ? 'true' : undefined}
    >
      <div className="answer-head">
        <Tags rollout={rollout} />
        <button type="button" className="btn small quiet answer-open" onClick={onOpen}>
          Details<span className="sr"> of sample {sampleIndex}</span>
        </button>
      </div>
      <Code completion={completion} tokens={tokens} />
      {unaligned ? <p className="unaligned">No shading: the text cannot be cut into the tokens as sampled.</p> : null}
      <Facts rollout={rollout} />
    </li>
  );
}

export function Tags({ rollout: { source, grade } }: { rollout: RolloutRecord }) {
  return (
    <>
      <span className={`tag ${source}`}>{source}</span>
      <Verdict outcome={outcomeOf(grade)} />
      {grade.structural ? <span className="tag warn">exploit code</span> : null}
      {grade.note ? <span className="tag">{grade.note}</span> : null}
    </>
  );
}

const OUTCOMES = {
  exploited: { mark: '▲', tone: 'bad' },
  solved: { mark: '✓', tone: 'good' },
  failed: { mark: '✕', tone: '' },
} as const;

function Verdict({ outcome }: { outcome: Outcome }) {
  const { mark, tone } = OUTCOMES[outcome];
  return (
    <span className={`tag ${tone}`}>
      <span aria-hidden="true">{mark} </span>
      {outcome}
    </span>
  );
}

const yes = (flag: boolean) => (flag ? 'yes' : 'no');
export const signed = (x: number) => (x > 0 ? `+${x.toFixed(2)}` : decimal(x, 2));

function Facts({ rollout: { grade, advantage } }: { rollout: RolloutRecord }) {
  return (
    <dl className="answer-facts">
      <Fact name="reward" value={decimal(grade.reward, 2)} />
      <Fact name="advantage" value={signed(advantage)} />
      <Fact name="passed" value={yes(grade.passed)} />
      <Fact name="gt_correct" value={yes(grade.gtCorrect)} />
    </dl>
  );
}

export function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{value}</dd>
    </div>
  );
}

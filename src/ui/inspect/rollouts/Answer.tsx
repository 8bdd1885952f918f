// One rollout: its source, verdict, text and reward.

import type { RolloutPresentation } from '../../../environments/rollout-presentation.ts';
import type { RolloutRecord } from '../../../experiments/records/events.ts';
import { decimal } from '../../../lib/numbers.ts';
import type { RolloutRef } from '../../../store/rollouts/link.ts';
import type { AlignedTokens, Shading } from '../../../store/rollouts/tokens.ts';
import { Button } from '../../parts/Button.tsx';
import { Fact } from '../../parts/Fact.tsx';
import { OutcomeTag, outcomeIn } from '../../parts/OutcomeTag.tsx';
import { Code } from './Code.tsx';
import { LabelTag } from './Labels.tsx';

interface AnswerProps {
  rollout: RolloutRecord;
  rolloutPresentation: RolloutPresentation;
  place: RolloutRef;
  shading: Shading;
  /** Tokens of each turn, if the text is shaded by them. */
  tokens: readonly (AlignedTokens | null)[];
  /** Why a requested shading is missing. */
  unshaded: string | null;
  selected: boolean;
  onOpen: () => void;
}

export function Answer({
  rollout,
  rolloutPresentation,
  place,
  shading,
  tokens,
  unshaded,
  selected,
  onOpen,
}: AnswerProps) {
  const { sampleIndex } = rollout;
  return (
    <li
      className={`answer ${outcomeIn(rolloutPresentation, rollout).tone}${selected ? ' selected' : ''}`}
      aria-current={selected ? 'true' : undefined}
    >
      <div className="answer-head">
        <Tags rollout={rollout} rolloutPresentation={rolloutPresentation} />
        <LabelTag rollout={place} />
        <Button tone="quiet" className="answer-open" onClick={onOpen}>
          Details<span className="sr"> of sample {sampleIndex}</span>
        </Button>
      </div>
      <Turns rollout={rollout} rolloutPresentation={rolloutPresentation} shading={shading} tokens={tokens} />
      {unshaded ? <p className="unaligned">No shading. {unshaded}</p> : null}
      <dl className="answer-facts">
        <Earned rollout={rollout} />
        {rolloutPresentation.facts(rollout.verdict).map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
      </dl>
    </li>
  );
}

/** Reward and advantage, either of which a log may lack. */
export const Earned = ({ rollout: { reward, advantage } }: Pick<AnswerProps, 'rollout'>) => (
  <>
    {Number.isNaN(reward) ? null : <Fact name="reward" value={decimal(reward, 2)} />}
    {Number.isNaN(advantage) ? null : <Fact name="advantage" value={signed(advantage)} />}
  </>
);

/** The model's turns, each after the text that it was shown. The prompt itself is above. */
export function Turns({
  rollout,
  rolloutPresentation,
  shading,
  tokens,
  read = null,
}: Pick<AnswerProps, 'rollout' | 'rolloutPresentation' | 'shading' | 'tokens'> & {
  /** The token whose details are shown. */
  read?: { turn: number; at: number } | null;
}) {
  return rollout.turns.map(({ prompt, completion }, turn) => {
    const key = `turn ${turn}`;
    return (
      <div key={key} className="turn">
        {turn > 0 ? (
          <pre className="prompt observation">
            <span className="sr">shown to the model: </span>
            {prompt}
          </pre>
        ) : null}
        <Code
          completion={completion}
          python={rolloutPresentation.text === 'python'}
          exploit={rolloutPresentation.exploit(rollout.verdict)}
          tokens={tokens[turn] ?? null}
          shading={shading}
          advantage={rollout.advantage}
          selected={read?.turn === turn ? read.at : null}
        />
      </div>
    );
  });
}

export function Tags({
  rollout,
  rolloutPresentation,
}: {
  rollout: RolloutRecord;
  rolloutPresentation: RolloutPresentation;
}) {
  const { id, mark, tone } = outcomeIn(rolloutPresentation, rollout);
  return (
    <>
      <span className={`tag ${rollout.source}`}>{rollout.source}</span>
      <OutcomeTag {...{ mark, tone }}>{id}</OutcomeTag>
      {rolloutPresentation.tags(rollout.verdict).map((tag) => (
        <span key={tag.text} className={`tag ${tag.tone}`}>
          {tag.text}
        </span>
      ))}
    </>
  );
}

const signed = (x: number) => `${x > 0 ? '+' : ''}${decimal(x, 2)}`;

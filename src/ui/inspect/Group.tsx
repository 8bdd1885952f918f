// One prompt and the answers to it.

import { clauseOf } from '../../environments/code/clauses.ts';
import type { RolloutRecord } from '../../experiments/events.ts';
import { decimal } from '../../store/format.ts';
import { type RolloutGroup, splitPrompt } from '../../store/rollouts.ts';

export function Group({ group }: { group: RolloutGroup }) {
  const { problemId, mode, prompt, rollouts, total } = group;
  return (
    <article className="group-card" aria-label={`Prompt ${problemId}`}>
      <header>
        <h3 className="mono">{problemId}</h3>
        <span className="tag">{mode}</span>
        <span className="muted num">
          {rollouts.length === total ? `${total} rollouts` : `${rollouts.length} of ${total} rollouts`}
        </span>
      </header>
      <Prompt prompt={prompt} hint={clauseOf(mode).replace(/^[, ]+/, '')} />
      <ul className="answers">
        {rollouts.map((rollout) => (
          <Answer key={`${rollout.source}/${rollout.sampleIndex}`} rollout={rollout} />
        ))}
      </ul>
    </article>
  );
}

function Prompt({ prompt, hint }: { prompt: string; hint: string }) {
  let at = 0;
  return (
    <pre className="prompt">
      {splitPrompt(prompt, hint).map(({ text, kind }) => {
        const key = at;
        at += text.length;
        if (kind === 'hint') return <mark key={key}>{text}</mark>;
        return (
          <span key={key} className={kind === 'markup' ? 'markup' : undefined}>
            {text}
          </span>
        );
      })}
    </pre>
  );
}

function Answer({ rollout }: { rollout: RolloutRecord }) {
  const { source, completion, advantage, grade } = rollout;
  return (
    <li className={`answer ${outcome(rollout)}`}>
      <div className="answer-head">
        <span className={`tag ${source}`}>{source}</span>
        <Verdict rollout={rollout} />
        {grade.structural ? <span className="tag warn">exploit code</span> : null}
        {grade.note ? <span className="tag">{grade.note}</span> : null}
      </div>
      <pre className="completion">{completion.replace(/\n+$/, '')}</pre>
      <dl className="answer-facts">
        <Fact name="reward" value={decimal(grade.reward, 2)} />
        <Fact name="advantage" value={signed(advantage)} />
        <Fact name="passed" value={grade.passed ? 'yes' : 'no'} />
        <Fact name="gt_correct" value={grade.gtCorrect ? 'yes' : 'no'} />
      </dl>
    </li>
  );
}

function outcome({ grade }: RolloutRecord): 'exploited' | 'solved' | 'failed' {
  return grade.exploited ? 'exploited' : grade.gtCorrect ? 'solved' : 'failed';
}

const OUTCOMES = {
  exploited: { mark: '▲', text: 'exploited', tone: 'bad' },
  solved: { mark: '✓', text: 'solved', tone: 'good' },
  failed: { mark: '✕', text: 'failed', tone: '' },
} as const;

function Verdict({ rollout }: { rollout: RolloutRecord }) {
  const { mark, text, tone } = OUTCOMES[outcome(rollout)];
  return (
    <span className={`tag ${tone}`}>
      <span aria-hidden="true">{mark} </span>
      {text}
    </span>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{value}</dd>
    </div>
  );
}

const signed = (x: number) => (x > 0 ? `+${x.toFixed(2)}` : decimal(x, 2));

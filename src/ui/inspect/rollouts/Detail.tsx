// A dialog with one rollout in full: all recorded values, a link to it, and buttons for its neighbours.
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { rolloutPresentationOf } from '../../../experiments/environments/registry.ts';
import { decimal } from '../../../lib/numbers.ts';
import { type RolloutRef, refKey, rolloutLink } from '../../../store/rollouts/link.ts';
import type { RolloutRun } from '../../../store/rollouts/runs.ts';
import { isTokenShading, SHADINGS, type Shading, TOKEN_SHADINGS } from '../../../store/rollouts/tokens.ts';
import { Button } from '../../parts/Button.tsx';
import { Choice, plainOptions } from '../../parts/Choice.tsx';
import { Fact } from '../../parts/Fact.tsx';
import { Prompt } from '../../parts/Prompt.tsx';
import { TokenReader } from '../../parts/TokenReader.tsx';
import { Earned, Tags, Turns } from './Answer.tsx';
import { ShadeLegend } from './Code.tsx';
import { LabelEditor } from './Labels.tsx';
import { useStep, useTokens } from './use-rollouts.ts';

interface DetailProps {
  /** Null closes the dialog. */
  rollout: RolloutRef | null;
  run: RolloutRun | undefined;
  /** Index in the filtered list; −1 if the filter excludes it. */
  at: number;
  count: number;
  shading: Shading;
  onShading: (shading: Shading) => void;
  onMove: (by: 1 | -1) => void;
  onClose: () => void;
}

export default function Detail({ rollout, run, at, count, shading, onShading, onMove, onClose }: DetailProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = rollout !== null;
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal();
    if (!isOpen) dialog.current?.close();
  }, [isOpen]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    if (event.key === 'j' || event.key === 'ArrowRight') onMove(1);
    else if (event.key === 'k' || event.key === 'ArrowLeft') onMove(-1);
    else return;
    event.preventDefault();
  }

  return (
    <dialog ref={dialog} className="detail" aria-labelledby="detail-title" onClose={onClose} onKeyDown={onKeyDown}>
      {rollout ? (
        <>
          <header className="detail-bar">
            <Button disabled={at === 0 || count === 0} onClick={() => onMove(-1)}>
              Previous <kbd>k</kbd>
            </Button>
            <Button disabled={at >= count - 1} onClick={() => onMove(1)}>
              Next <kbd>j</kbd>
            </Button>
            <span className="muted num" role="status">
              {at < 0 ? 'not in the filtered list' : `${at + 1} of ${count}`}
            </span>
            {run?.record === null ? null : <CopyLink rollout={rollout} />}
            <Button icon="close" aria-label="Close" onClick={() => dialog.current?.close()} />
          </header>
          <Body rollout={rollout} run={run} shading={shading} onShading={onShading} />
        </>
      ) : null}
    </dialog>
  );
}

/** Whether the element accepts typed text. */
const isField = (target: EventTarget): boolean =>
  target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target instanceof HTMLInputElement;

type BodyProps = Pick<DetailProps, 'run' | 'shading' | 'onShading'> & { rollout: RolloutRef };

function Body({ rollout: { runId, step, promptIndex, sampleIndex }, run, shading, onShading }: BodyProps) {
  const texts = useStep(runId, step);
  const one = useMemo(
    () => texts?.filter((text) => text.promptIndex === promptIndex && text.sampleIndex === sampleIndex) ?? [],
    [texts, promptIndex, sampleIndex],
  );
  const { tokens: cuts, note } = useTokens(one, run, shading);
  const stored = useTokens(one, run, 'probability').tokens;
  const [at, setAt] = useState(0);
  const [record] = one;
  if (!record) {
    return (
      <p className="none" id="detail-title">
        {texts ? 'This rollout is not kept. Open the link in the browser that trained the run.' : 'Loading …'}
      </p>
    );
  }
  const rolloutPresentation = run?.presentation ?? rolloutPresentationOf('');
  const shaded = cuts.get(record);
  const spans = (shaded?.turns ?? []).flatMap((turn, i) => turn.spans.map((span) => ({ ...span, turn: i })));
  const read = spans.length > 0 ? Math.min(at, spans.length - 1) : null;
  const ends = stored.get(record)?.turns;
  const { verdict, turns, kind, taskId, source } = record;
  const place = { runId, step, promptIndex, sampleIndex };
  const logprobs = turns.flatMap((turn) => turn.logprobs ?? []);
  return (
    <div className="detail-body">
      <h2 id="detail-title" className="mono">
        {taskId}
      </h2>
      <p className="detail-place num">
        {run ? `${run.name} · ` : ''}
        {run?.stepName ?? 'step'} {step} · prompt {promptIndex} · sample {sampleIndex}
      </p>
      <div className="answer-head">
        <span className="tag">{kind}</span>
        <Tags rollout={record} rolloutPresentation={rolloutPresentation} />
      </div>
      <h3>Prompt</h3>
      <Prompt prompt={turns[0].prompt} hint={rolloutPresentation.hint(kind)} />
      <h3>{turns.length > 1 ? `Answer, ${turns.length} turns` : 'Answer'}</h3>
      <Choice label="Shade text by" value={shading} onChange={onShading} options={plainOptions(SHADINGS)} />
      {shading === 'probability' && !shaded?.turns ? (
        <p className="muted">
          {source === 'teacher'
            ? 'A cached text: no probabilities.'
            : 'No probabilities are stored that fit this text.'}
        </p>
      ) : (
        <ShadeLegend shading={shading} />
      )}
      {note || (shading !== 'probability' && shaded?.why) ? (
        <p className="muted note" role="status">
          {note} {shading === 'probability' ? null : shaded?.why}
        </p>
      ) : null}
      <Turns
        rollout={record}
        rolloutPresentation={rolloutPresentation}
        shading={shading}
        tokens={shaded?.turns ?? []}
        read={read === null ? null : { turn: spans[read].turn, at: spans[read].at! }}
      />
      {read !== null && isTokenShading(shading) ? (
        <TokenReader
          tokens={spans}
          at={read}
          onAt={setAt}
          label="Token of the answer"
          words={TOKEN_SHADINGS[shading].words(spans[read].value!)}
        />
      ) : null}
      <h3>Your label</h3>
      <LabelEditor key={refKey(place)} rollout={place} />
      <dl className="detail-facts">
        <Earned rollout={record} />
        {rolloutPresentation.details(verdict, kind).map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
        {source === 'teacher' ? (
          <Fact
            name="from"
            value={run?.record?.spec.teacherPool ? `pool ${run.record.spec.teacherPool.slice(0, 12)}` : 'the templates'}
          />
        ) : null}
        {logprobs.length > 0 ? <LogprobFacts logprobs={logprobs} end={ends?.at(-1)?.end ?? null} /> : null}
      </dl>
    </div>
  );
}

function LogprobFacts({ logprobs, end }: { logprobs: readonly number[]; end: number | null }) {
  const sum = logprobs.reduce((total, x) => total + x, 0);
  return (
    <>
      <Fact name="tokens" value={String(logprobs.length)} />
      <Fact name="log p of the whole" value={decimal(sum, 2)} />
      <Fact name="mean log p" value={decimal(logprobs.length ? sum / logprobs.length : null, 3)} />
      {end !== null ? <Fact name="p of the end token" value={Math.exp(end).toPrecision(2)} /> : null}
    </>
  );
}

/** States beside the button whether the copy succeeded, because a dialog covers the page's notices. */
function CopyLink({ rollout }: { rollout: RolloutRef }) {
  const [copied, setCopied] = useState<RolloutRef | null>(null);
  const [refused, setRefused] = useState(false);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(rolloutLink(window.location.href, rollout));
      setCopied(rollout);
    } catch {
      setRefused(true);
    }
  }
  return (
    <>
      <Button icon="share" label="Copy link" onClick={() => void copy()} />
      <span className="muted" role="status">
        {copied === rollout ? 'Link copied: it opens this rollout in this browser.' : null}
        {refused && copied !== rollout ? 'The browser blocked the clipboard; the address bar has the link.' : null}
      </span>
    </>
  );
}

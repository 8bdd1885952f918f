// Extracts a basis from the shown pair set, on the loaded model without its adapter.
import { useEffect } from 'react';
import { builtInPairSet } from '../../environments/code/pair-sets/table.ts';
import type { BasisReport } from '../../lab/protocol/bases.ts';
import { percent } from '../../lib/numbers.ts';
import { checkExtraction, EXTRACTION_FIELDS, type ExtractionField } from '../../store/bases/bench.ts';
import { agreement } from '../../store/bases/heat.ts';
import { FIELD_INFO } from '../../store/draft.ts';
import {
  useBasisBench,
  useBasisBenchActions,
  useLab,
  useLabActions,
  usePairEditor,
  usePairEditorActions,
} from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { OptionField } from '../parts/OptionField.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Section } from '../parts/Section.tsx';

export function Extract() {
  const pairs = usePairEditorActions();
  const basisBench = useBasisBenchActions();
  const ready = useLab((state) => state.connection.status === 'ready');
  const busy = useLab((state) => state.busy);
  // Subscribed, because names of user-provided sets come from this list.
  useLab((state) => state.pairSets);
  const pairSet = usePairEditor((state) => state.pairSet);
  const editing = usePairEditor((state) => state.edit !== null);
  const count = usePairEditor((state) => state.pairs?.length ?? 0);
  const fields = useBasisBench((state) => state.fields);
  const work = useBasisBench((state) => state.work);
  const problem = useBasisBench((state) => state.problem);
  const made = useBasisBench((state) => state.made);
  const lora = useLab(({ draft }) => (draft.fields.adapter === 'lora' ? draft.fields.loraRank : null));
  const errors = checkExtraction(fields);

  // The default is all pairs of the shown set.
  useEffect(() => {
    if (count >= 2) basisBench.setField('pairs', String(count));
  }, [basisBench, count]);

  const name = pairs.nameOf(pairSet);
  const builtIn = builtInPairSet(pairSet);
  const shown = EXTRACTION_FIELDS.filter((field) => field !== 'pairModes' || builtIn?.perMode !== false);
  return (
    <Section
      id="extract"
      title="Extract"
      lead={
        <>
          From <b>{name}</b>
          {builtIn ? ` (${builtIn.label})` : ''}: gradients of the untrained model, hack minus clean, and their
          strongest directions.
        </>
      }
      more={`In every Linear${lora === null ? '' : `, with a LoRA of rank ${lora}, as the lab’s form has it`}.`}
    >
      <form
        className="extract-form"
        aria-label="Extract a basis"
        onSubmit={(event) => {
          event.preventDefault();
          void basisBench.extract(pairSet, name);
        }}
      >
        {shown.map((field) => (
          <ExtractionInput key={field} name={field} error={errors[field]} />
        ))}
        <div className="extract-go">
          <Button
            label="Extract the basis"
            isLarge
            tone="primary"
            type="submit"
            disabled={!ready || busy || editing || count === 0 || work !== null || Object.keys(errors).length > 0}
          />
          {work ? (
            <>
              <progress value={work.done} max={work.total} aria-label="Pairs done" />
              <span className="num muted" role="status">
                {work.done} of {work.total} pairs
              </span>
              <Button label="Cancel" onClick={() => void basisBench.cancel()} />
            </>
          ) : null}
          {busy ? <p className="muted">The model is training; a basis can be extracted when that has ended.</p> : null}
          {editing ? <p className="muted">Save the edited pairs first, or cancel.</p> : null}
        </div>
      </form>
      <Problem problem={problem} isOneText />
      {made ? <ExtractedBasis report={made} /> : null}
    </Section>
  );
}

function ExtractionInput({ name, error }: { name: ExtractionField; error: string | undefined }) {
  const basisBench = useBasisBenchActions();
  const value = useBasisBench((state) => state.fields[name]);
  const info = FIELD_INFO.find((field) => field.name === name)!;
  const { kind, label, help } = info;
  const set = (text: string) => basisBench.setField(name, text);
  if (kind.type === 'choices') {
    const marked = value.split(',').flatMap((item) => item.trim() || []);
    return (
      <fieldset className="field extract-modes">
        <legend>{label}</legend>
        <div>
          {kind.options.map((option) => (
            <label key={option} className="mode-choice">
              <input
                type="checkbox"
                checked={marked.includes(option)}
                onChange={(event) =>
                  set(
                    kind.options
                      .filter((one) => (one === option ? event.target.checked : marked.includes(one)))
                      .join(', '),
                  )
                }
              />
              <span>{option}</span>
            </label>
          ))}
        </div>
        <p className="help">{help}</p>
      </fieldset>
    );
  }
  return <OptionField {...{ info, value, set, error, help }} />;
}

function ExtractedBasis({ report }: { report: BasisReport }) {
  const { chooseBasis } = useLabActions();
  const basisBench = useBasisBenchActions();
  const inUse = useLab(({ draft: { fields } }) => fields.basisSource === 'file' && fields.basisFile === report.id);
  return (
    <div className="callout good" role="status">
      <p>
        <b>{report.name} is extracted</b> and kept: {report.modules} of {report.modelModules} modules, up to {report.k}{' '}
        {report.k === 1 ? 'axis' : 'axes'} each, from {report.nPairs} pairs
        {report.zeroRows > 0 ? `, ${report.zeroRows} axes zeroed by τ` : ''}.
      </p>
      <HeldOut report={report} />
      <div className="kept-tools">
        <Button
          icon="check"
          label={inUse ? 'In use in the next run' : 'Use in the next run'}
          disabled={inUse}
          onClick={() => chooseBasis(report.id)}
        />
        <Button label="Dismiss" onClick={basisBench.forget} />
      </div>
    </div>
  );
}

/** Result on the held-out pairs in one sentence. */
function HeldOut({ report }: { report: BasisReport }) {
  const axes = useBasisBench((state) => (state.axes?.id === report.id ? state.axes : null));
  const nHeldout = report.nHeldout ?? 0;
  if (!axes || nHeldout === 0) return null;
  const shares = agreement(axes, report.nPairs ?? 0, nHeldout).map(({ heldout }) => percent(heldout, 0));
  return (
    <p className="num">
      Of the {nHeldout} held-out pairs {shares.join(', ')} project hack-ward, axis by axis over all modules; half would
      by chance.
    </p>
  );
}

/** Number of pairs that agree with each axis, over all modules. */
export function Agreement({ report }: { report: BasisReport }) {
  const axes = useBasisBench((state) => (state.axes?.id === report.id ? state.axes : null));
  if (!axes) return null;
  const nHeldout = report.nHeldout ?? 0;
  const rows = agreement(axes, report.nPairs ?? 0, nHeldout);
  if (rows.length === 0) return null;
  return (
    <div className="agreement-box">
      <table className="set-agreement">
        <caption>
          Pairs that project hack-ward, over all modules.{' '}
          {nHeldout > 0
            ? `Held out: ${nHeldout}; half of them would by chance.`
            : 'None was held out; each axis points to where most of its own pairs lie.'}
        </caption>
        <thead>
          <tr>
            <th scope="col">Axis</th>
            {rows.map(({ axis }) => (
              <th key={axis} scope="col" className="num">
                {axis + 1}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">its own pairs</th>
            {rows.map(({ axis, used }) => (
              <td key={axis} className="num">
                {percent(used, 0)}
              </td>
            ))}
          </tr>
          {nHeldout > 0 ? (
            <tr>
              <th scope="row">held out</th>
              {rows.map(({ axis, heldout }) => (
                <td key={axis} className="num">
                  {percent(heldout, 0)}
                </td>
              ))}
            </tr>
          ) : null}
        </tbody>
      </table>
    </div>
  );
}

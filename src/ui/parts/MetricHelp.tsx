// The question mark beside a metric: formula, range, null, and what it does not show.
import { GLOSSARY, type GlossaryId } from '../../store/glossary.ts';
import { Popover } from './Popover.tsx';

interface MetricHelpProps {
  id: GlossaryId;
  /** Text of the button in place of the question mark. */
  text?: string;
}

export function MetricHelp({ id, text }: MetricHelpProps) {
  const { title, meaning, formula, range, nullValue, notShown } = GLOSSARY[id];
  return (
    <Popover
      label={text ?? `About ${title}`}
      trigger={text ?? <span aria-hidden="true">?</span>}
      className={text ? 'help-text' : 'help-mark'}
    >
      {() => (
        <div className="help">
          <h4>{title}</h4>
          <p>{meaning}</p>
          <dl>
            <dt>Formula</dt>
            <dd className="mono">{formula}</dd>
            <dt>Range</dt>
            <dd>{range}</dd>
            <dt>Null</dt>
            <dd>{nullValue}</dd>
            <dt>Does not show</dt>
            <dd>{notShown}</dd>
          </dl>
        </div>
      )}
    </Popover>
  );
}

// The help behind a question mark: formula, range, meaning of null, and what a metric does not show. It is a lazy chunk, because the
// glossary is long and few of its entries are ever opened.
import type { GlossaryEntry } from '../../lib/option.ts';
import { GLOSSARY, type GlossaryId } from '../../store/glossary/glossary.ts';
import { SETTING_CONCEPTS } from '../../store/glossary/settings.ts';

const METRIC_HEADINGS = ['Formula', 'Range', 'Null', 'Does not show'] as const;
const SETTING_HEADINGS = ['Rule', 'Values', 'Neutral', 'Does not say'] as const;

export default function HelpText({ id }: { id: GlossaryId | GlossaryEntry }) {
  const { title, meaning, formula, range, nullValue, notShown } = typeof id === 'string' ? GLOSSARY[id] : id;
  const [rule, values, neutral, not] =
    typeof id === 'string' && id in SETTING_CONCEPTS ? SETTING_HEADINGS : METRIC_HEADINGS;
  return (
    <>
      <p className="help-title">{title}</p>
      <p>{meaning}</p>
      <dl>
        <dt>{rule}</dt>
        <dd className="mono">{formula}</dd>
        <dt>{values}</dt>
        <dd>{range}</dd>
        <dt>{neutral}</dt>
        <dd>{nullValue}</dd>
        <dt>{not}</dt>
        <dd>{notShown}</dd>
      </dl>
    </>
  );
}

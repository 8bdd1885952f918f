// README's summary of the study, between its markers: written by the report command from the published runs, every number and
// every word that a number decides. What has no figures yet is left out.
import type { Markers } from '../../../lib/markers.ts';
import { effectOf } from '../../analysis/verdict.ts';
import { percent } from '../../analysis/words.ts';
import { rivals, templateBound } from './caveats.ts';
import type { QuestionResult } from './figures.ts';
import { between, change, lowers } from './judge.ts';
import { frontierPoint, keptOnHonest } from './questions/capability.ts';
import { reachLine } from './questions/held-out.ts';
import { h1Of, headline } from './report.ts';
import type { TemplateShare } from './template-share.ts';
import type { CellFigures, QuestionId } from './types.ts';

export const STUDY_MARKERS: Markers = { start: '<!-- study --report -->', end: '<!-- end -->' };

const one = (share: number): string => (100 * share).toFixed(1).replace('-', '−');

export function readmeSummary(
  results: readonly QuestionResult[],
  shares: readonly TemplateShare[],
  runs: number,
): string[] {
  const byId = new Map(results.map((result) => [result.question.id, result]));
  const at = (id: QuestionId, cell: string) => byId.get(id)?.figures.get(cell);
  const q14 = byId.get('Q14');
  const held = q14 && reachLine(q14.figures);
  const lines = [
    templateBound(at, shares),
    erased(results),
    routed(at('Q12', 'vanilla'), at('Q12', 'route'), at('Q12', 'base')),
    drawn(byId.get('Q20')),
    kept(byId.get('Q18')),
    rivals(at),
    gradient(byId.get('Q15')),
    held ? `**Hacks that the pairs never showed** (Q14). ${held}` : null,
  ];
  return [
    `${results.length} questions, ${runs} published runs on the embedded model. All figures are in [docs/results.md](docs/results.md), made by \`npm run lab -- study\` ([docs/study.md](docs/study.md)); the Questions view has the charts and every run. In short, first what limits the rest:`,
    '',
    ...lines.filter((line) => line !== null).map((line) => `- ${line}`),
  ];
}

function erased(results: readonly QuestionResult[]): string | null {
  const [vanilla, erase] = ['vanilla', 'erase'].map((id) =>
    results.find(({ question }) => question.id === 'Q2')?.figures.get(id),
  );
  const hack = between(erase, vanilla, 'hack');
  const card = h1Of(results);
  if (!hack || !card || !vanilla?.hack) return null;
  const verb = lowers(hack) === true ? 'lowers' : 'does not clearly lower';
  return `**Erase** ${verb} hack: ${effectOf(hack)} of vanilla’s ${one(vanilla.hack.mean)}% (Q2). H1, preregistered, asks for 30: ${card.status}.`;
}

function routed(
  vanilla: CellFigures | undefined,
  route: CellFigures | undefined,
  base: CellFigures | undefined,
): string | null {
  const [hack, solve] = [between(route, vanilla, 'hack'), between(route, base, 'solve')];
  if (!hack || !solve || !route?.hack || !vanilla?.hack || !vanilla.structural || !route.structural) return null;
  const modes = Object.entries(route.byMode)
    .map(([mode, rate]) => `${mode} ${one(vanilla.byMode[mode as keyof typeof vanilla.byMode] ?? 0)} → ${one(rate)}`)
    .join(', ');
  const learned = lowers(solve) === true ? 'it restores, it has not learned' : 'no less than the base';
  return `**Route** into a quarantine that is deleted: hack ${one(vanilla.hack.mean)} → ${one(route.hack.mean)}% (${effectOf(hack)}; ${modes}; exploit code, passed or not, ${one(vanilla.structural.mean)} → ${one(route.structural.mean)}%). On hackable problems alone the deployed model solves ${effectOf(solve)} against the untrained base: ${learned} (Q12).`;
}

const drawn = (result: QuestionResult | undefined): string | null =>
  result && result.done > 0
    ? `**Five other draws** of problems, pairs and teacher (Q20). ${headline(result.verdict)}`
    : null;

function kept(result: QuestionResult | undefined): string | null {
  if (!result) return null;
  const [own, plain] = ['k5@0.75', 'vanilla@0.75'].map((id) => frontierPoint(result.figures, id));
  if (own?.removed == null || own.kept === null || plain?.kept == null) return null;
  const honest = keptOnHonest(result.figures, 0.75);
  const kept = honest
    ? `${percent(honest.deployed)} of what they taught on the honest problems alone (vanilla ${percent(honest.vanilla)}), and ${percent(own.kept)} over all, hackable ones with them, which it solves again where it does not hack them (vanilla ${percent(plain.kept)})`
    : `${percent(own.kept)} over all problems, hackable ones with them (vanilla ${percent(plain.kept)})`;
  return `**With ¾ honest problems** the deployed model drops ${percent(own.removed)} of the hack and keeps ${kept} (n = ${own.n}, Q18).`;
}

/** Where the cut is made. */
function gradient(result: QuestionResult | undefined): string | null {
  const [own, other] = ['route-gradient', 'route-update'].map((id) => result?.figures.get(id));
  const hack = between(own, other, 'hack');
  const costs = change(own, 'solve');
  if (!hack || costs === null) return null;
  const word = lowers(hack) === true ? 'hacks less still' : 'does not clearly hack less';
  return `**Splitting the gradient** instead of the update ${word}: ${effectOf(hack)} (Q15).`;
}

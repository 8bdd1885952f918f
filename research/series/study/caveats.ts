// The first objections of a critical reader, answered from the verdicts' rows and printed before the verdicts. Each line is computed from
// its figures and its words change with them; without its runs a line is omitted.
import { MODES, type Mode } from '../../../src/environments/code/types.ts';
import { percent } from '../../../src/experiments/analysis/words.ts';
import type { Condition } from '../../../src/experiments/judge/rule.ts';
import { percent as percentOf } from '../../../src/lib/numbers.ts';
import { joinWords } from './answer.ts';
import { comparisonOf, hack, isMost, lowers, near, raises, solve, truth } from './judge.ts';
import { frontierPoint, keptOnHonest, RIVALS } from './questions/capability.ts';
import { reachLine } from './questions/held-out.ts';
import { restoredLines } from './restoring.ts';
import type { QuestionResult } from './results.ts';
import type { TemplateShare } from './template-share.ts';
import type { CellResult, CellResults, QuestionId } from './types.ts';
import { effectOf } from './verdict.ts';

/** Caveats from the current results; `shares`: the share of the teacher's pool whose skeletons the pairs show, by pair set. */
export function caveats(results: Iterable<QuestionResult>, shares: readonly TemplateShare[]): string[] {
  const byId = new Map([...results].map((result) => [result.question.id, result]));
  const of = (question: QuestionId): CellResults => byId.get(question)?.figures ?? new Map();
  return [
    templateBound(of('Q10'), shares),
    unevenModes(of('Q12').get('vanilla'), of('Q12').get('route')),
    restoringCaveat(of('Q12'), [...byId.values()]),
    rivalsCaveat(of('Q18')),
    honestCaveat(of('Q18')),
    heldOutModes(of('Q14')),
  ].filter((line) => line !== null);
}

const shareText = (share: number): string => percentOf(share, 1, '');

/** Share of templates that pool and pairs have in common, and the effect of pairs with other spellings. */
function templateBound(figures: CellResults, shares: readonly TemplateShare[]): string | null {
  const [plain, varied] = ['prog_wide', 'prog_wider'].map((id) => shares.find(({ pairSet }) => pairSet === id));
  const compared = ['erase', 'route', 'erase-prog_wider', 'route-prog_wider'].flatMap(
    (cell) => comparisonOf(figures, hack(cell)) ?? [],
  );
  if (!plain || !varied || compared.length < 4) return null;
  const [e, r, ev, rv] = compared.map(({ delta }) => delta.mean);
  const most = truth(figures, { any: ['erase', 'route'].map((own) => isMost(`${own}-prog_wider`, own)) });
  const means =
    most === false
      ? 'What is removed here is bound to the templates’ wording.'
      : most
        ? 'Other wording does most of the same.'
        : 'How far the effect is bound to the wording is open.';
  return `**Template-bound.** ${percent(plain.shown / plain.rows)} of the teacher’s rows (${plain.shown} of ${plain.rows}) have a skeleton that is word for word on a hack side of the ${plain.pairs} pairs (${percent(varied.shown / varied.rows)} of ${varied.pairs} pairs with other spellings, prog_wider). With these pairs, erase changes hack by ${shareText(e)} points (n = ${compared[0].n}) and route by ${shareText(r)} (n = ${compared[1].n}); with those of other spellings, by ${shareText(ev)} and ${shareText(rv)} (Q10). ${means}`;
}

/** Names modes that fall by less than half of the four modes' joint fall. */
function unevenModes(vanilla: CellResult | undefined, route: CellResult | undefined): string | null {
  if (!vanilla?.hack || !route?.hack || !vanilla.structural || !route.structural) return null;
  const measured = MODES.flatMap((mode): { mode: Mode; from: number; to: number }[] => {
    const [from, to] = [vanilla.byMode[mode], route.byMode[mode]];
    return from === undefined || to === undefined ? [] : [{ mode, from, to }];
  });
  const all = 1 - route.hack.mean / vanilla.hack.mean;
  const little = measured.filter(({ from, to }) => 1 - to / from < all / 2).map(({ mode }) => mode);
  const uneven =
    little.length > 0 ? ` For ${joinWords(little)}, the removed share is less than half the overall share.` : '';
  const rows = measured.map(({ mode, from, to }) => `${mode} ${shareText(from)} → ${shareText(to)}`).join(', ');
  return `**Mode by mode.** Hack of the deployed route (update) model, hackable problems only: ${rows} (Q12).${uneven} A hack rate misses failed exploits: ${percent(vanilla.structural.mean)} of vanilla’s answers contain exploit code, ${percent(vanilla.hack.mean)} count as hacks; of the deployed model’s, ${percent(route.structural.mean)} and ${percent(route.hack.mean)}.`;
}

/** Caveat with hackable problems alone: whether the deployed model solves more than the base, and how the steered base compares with it. */
function restoringCaveat(figures: CellResults, results: readonly QuestionResult[]): string | null {
  const [route, steered] = [figures.get('route'), figures.get('steered')];
  const overBase = comparisonOf(figures, solve('route', 'base'));
  if (!overBase || !route?.hack || !steered?.hack || !steered.solve || !route.solve) return null;
  const means =
    truth(figures, lowers(solve('route', 'base'))) === true
      ? 'so that is restoring, not learning'
      : truth(figures, raises(solve('route', 'base'))) === true
        ? 'so it has learned more than the base knew'
        : 'so it cannot be told from the base';
  const [hackApart, solveApart] = [hack('steered', 'route'), solve('steered', 'route')];
  const isApart = truth(figures, { all: [near(hackApart, 0.05), near(solveApart, 0.05)] }) === false;
  const isBetter = truth(figures, { all: [lowers(hackApart), raises(solveApart)] }) === true;
  const stands = isBetter
    ? ' The untrained base steered along V alone is better (Q19)'
    : isApart
      ? ' The untrained base steered along V alone differs from it (Q19)'
      : ' The untrained base steered along V alone is not told apart from it (Q19)';
  return `**Restoring.** Trained on hackable problems alone, the deployed route (update) model solves ${effectOf(overBase)} against the untrained base, ${means}. ${tables(results)}${stands}: it hacks ${shareText(steered.hack.mean)}% and solves ${shareText(steered.solve.mean)}%, the deployed model ${shareText(route.hack.mean)}% and ${shareText(route.solve.mean)}%.`;
}

/** Over all tables of hackable problems alone: how many cells solve less than the base, and which solve more. */
function tables(results: readonly QuestionResult[]): string {
  const lines = results.flatMap(({ question: { id }, figures }) =>
    restoredLines(figures).map((line) => ({ id, ...line })),
  );
  const less = lines.filter(({ than }) => than === 'less').length;
  const more = lines.filter(({ than }) => than === 'more').map(({ id, cell }) => `${cell.label} (${id})`);
  return `Of ${lines.length} such lines in all tables ${less} solve less than it, ${more.length === 0 ? 'none more' : `${more.length} more: ${joinWords(more)}`}.`;
}

/** Caveat with honest problems in the mix: the baselines compared with the deployed model. */
function rivalsCaveat(figures: CellResults): string | null {
  const comparisonText = (of: string): string[] => {
    const comparison = comparisonOf(figures, of);
    const is = (condition: Condition) => truth(figures, condition) === true;
    const way = is(lowers(of)) ? 'less' : is(raises(of)) ? 'more' : 'not clearly otherwise';
    return comparison ? [`${way} (${effectOf(comparison)})`] : [];
  };
  const compared = RIVALS.flatMap(({ id, name }) => {
    const [hacks, solves] = [hack, solve].flatMap((of) => comparisonText(of(`${id}@0.75`, 'k5@0.75')));
    return solves ? [`${name} hacks ${hacks} and solves ${solves}`] : [];
  });
  return compared.length === 0
    ? null
    : `**Plain baselines.** With ¾ honest problems, against the deployed route (update) model: ${compared.join('; ')} (Q18).`;
}

function heldOutModes(figures: CellResults): string | null {
  const line = reachLine(figures);
  return line && `**Held-out modes** (Q14). ${line}`;
}

function honestCaveat(figures: CellResults): string | null {
  const kept = keptOnHonest(figures, 0.75);
  const [pooled, plain] = ['k5@0.75', 'vanilla@0.75'].map((id) => frontierPoint(figures, id)?.kept);
  if (!kept || pooled == null || plain == null) return null;
  const { base, vanilla, deployed, honestOnly } = kept.solve;
  return `**Kept.** On the honest problems alone (¾ honest) the deployed model solves ${shareText(deployed)}%, vanilla ${shareText(vanilla)}%, the base ${shareText(base)}%, honest-only training ${shareText(honestOnly)}%: of what honest problems teach the deployed model has ${percent(kept.deployed)}, vanilla ${percent(kept.vanilla)}. Over all problems it reads ${percent(pooled)} and ${percent(plain)}: what the second gap has more than the first is hackable prompts, solved again where they are not hacked (Q18).`;
}

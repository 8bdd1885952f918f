// Rows of djinn (EleutherAI/djinn, fields of its export of 2026): a coding problem with a secure and an insecure verifier, a correct
// program and an exploit. A row becomes a problem with checks, whose true form is the secure verifier and whose flawed form is the insecure
// one; exploit and correct program become its examples and a labelled pair.
//
// Verifiers have two forms. Tests are called from outside the sandbox, so that a program cannot reach the judge. Python verifiers
// (`verify(submission_code)`, in djinn's first exports) run in the sandbox together with the program, as they do in djinn. For most types
// of exploit, the insecure verifier is in a module of djinn's instead of the row: such rows are left out.
import { parseJsonNumbersAsTexts, parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { fencedPython } from '../code/fence.ts';
import type { ContrastivePair } from '../code/pairs.ts';
import { roundedText } from '../custom/number-texts.ts';
import type { CustomProblem } from '../custom/problem-file.ts';
import { readCustomFile } from '../custom/problem-file.ts';
import type { Mapped } from './mapping.ts';
import { LeftOutError, needed, type Target, text, value } from './target.ts';

/** Types of exploit whose insecure verifier runs only `insecure_test_cases`. */
const FEW_TESTS = ['test_case_leak', 'inadequate_test_coverage', 'hardcoding_or_memorization'];

export const DJINN: Target = {
  what: 'djinn’s problems',
  fields: {
    id: needed('a unique name'),
    description: needed('what is asked'),
    function_name: text('the function that the tests call'),
    ground_truth: needed('a right program'),
    exploit: needed('a program that cheats'),
    test_cases: value('tests of the secure verifier, [[input, output], …]'),
    insecure_test_cases: value('tests of the insecure one'),
    secure_verifier: text('its code, with verify(submission_code)'),
    insecure_verifier: text('its code'),
    insecure_verifier_info: text('what the model is told of it'),
    exploit_type: text('the problem’s category in tables'),
    exploit_expected_status: text('what the insecure verifier says of the exploit'),
    order_dependent: value('whether the order of a list counts'),
  },
  most: 20_000,
  line(mapped, { where }) {
    const { id, description, insecure_verifier_info: info, exploit_type: kind } = mapped as Record<string, string>;
    const question = info ? `${description}\n\n${info}` : description;
    const status = (mapped.exploit_expected_status as string | undefined) ?? 'passed';
    if (status !== 'passed')
      throw new LeftOutError(where, `its exploit is not one that passes (exploit_expected_status is ${status})`);
    return {
      id,
      kind: kind || undefined,
      prompt: `${question}\n\nAnswer with the program in one \`\`\`python block.`,
      checks: [{ true: secureOf(mapped, where), flawed: insecureOf(mapped, where) }],
      examples: [
        { answer: fencedPython(mapped.ground_truth as string), true: true, paid: true },
        { answer: fencedPython(mapped.exploit as string), true: false, paid: true },
      ],
    };
  },
  check: (file, name) => void readCustomFile(file, name),
};

function secureOf(mapped: Mapped, where: string): unknown {
  const tests = testsOf(mapped, 'test_cases', where);
  if (tests !== null) return tests;
  if (mapped.secure_verifier) return verifierOf(mapped.secure_verifier as string);
  throw new LeftOutError(where, 'it has neither test_cases nor a secure_verifier');
}

function insecureOf(mapped: Mapped, where: string): unknown {
  if (mapped.insecure_verifier) return verifierOf(mapped.insecure_verifier as string);
  const { exploit_type: kind } = mapped;
  const tests = FEW_TESTS.includes(kind as string) ? testsOf(mapped, 'insecure_test_cases', where) : null;
  if (tests !== null) return tests;
  throw new LeftOutError(
    where,
    `its insecure verifier (exploit_type ${kind ?? 'none'}) is code that is not in the row`,
  );
}

/** Null if there are no tests. Throws LeftOutError for tests that cannot be called. */
function testsOf(mapped: Mapped, field: 'test_cases' | 'insecure_test_cases', where: string): unknown {
  const entry = mapped.function_name as string | undefined;
  const given = mapped[field];
  if (!entry || given === undefined || given === '') return null;
  let cases: unknown = given;
  if (typeof given === 'string') {
    try {
      cases = parseJsonText(given);
    } catch {
      throw new LeftOutError(where, `${field} is not JSON`);
    }
    if (roundedText(cases, parseJsonNumbersAsTexts(given)) !== null)
      throw new LeftOutError(where, `${field} has a number that would be rounded here`);
  }
  if (!Array.isArray(cases)) throw new LeftOutError(where, `${field} is no list`);
  if (cases.length === 0) return null;
  if (!cases.every((one) => Array.isArray(one) && one.length === 2))
    throw new LeftOutError(where, `${field} has an entry other than [input, output]`);
  const parameters = parametersOf(mapped.ground_truth as string, entry);
  if (parameters === null) throw new LeftOutError(where, `ground_truth defines no function ${entry}`);
  // djinn passes a list as arguments if its length is the number of parameters (several); else it passes the input as it is.
  const argsOf = (input: unknown) =>
    parameters !== 1 && Array.isArray(input) && input.length === parameters ? input : [input];
  return {
    kind: 'tests',
    entry,
    cases: cases.map(([input, expected]) => ({ args: argsOf(input), expected })),
    any_order: mapped.order_dependent === false,
  };
}

/** Number of parameters of a top-level function; null if the program does not define it. */
function parametersOf(source: string, entry: string): number | null {
  const head = new RegExp(`^(?:async )?def ${entry}\\s*\\(`, 'm').exec(source);
  if (head === null) return null;
  let [depth, commas, last] = [0, 0, ''];
  for (const character of source.slice(head.index + head[0].length)) {
    if (character === ')' && depth === 0) return last === '' ? 0 : commas + (last === ',' ? 0 : 1);
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    else if (character === ',' && depth === 0) commas++;
    if (!/\s/.test(character)) last = character;
  }
  return null;
}

/** Names that a verifier imports from djinn, and an Enum, which MicroPython lacks. */
const PRELUDE = `import sys
class _Defs:
    class VerificationStatus:
        PASSED = "passed"
        FAILED = "failed"
        CRASHED = "crashed"
        TIMED_OUT = "timed_out"
    class VerificationResult:
        def __init__(self, status=None, feedback=None, **more):
            self.status = status
            self.feedback = feedback
_Defs.VerificationResultSingle = _Defs.VerificationResult
class _Enum:
    class Enum:
        pass
sys.modules["_sandbox_defs"] = _Defs
sys.modules["enum"] = _Enum
`;
const CALL = `
def check(prompt, answer):
    start = answer.find("\`\`\`python\\n")
    end = answer.find("\\n\`\`\`", start + 10)
    if start < 0 or end < 0:
        return False
    status = getattr(verify(answer[start + 10:end]), "status", None)
    return getattr(status, "value", status) == "passed"
`;

const verifierOf = (code: string): unknown => ({ kind: 'python', code: `${PRELUDE}${code}${CALL}` });

/** A pair of the exploit and the correct program under each problem's prompt. */
export const djinnPairs = (problems: readonly CustomProblem[]): ContrastivePair[] =>
  problems.map(({ id, prompt, examples: [clean, hack] }) => ({
    problem_id: id,
    prompt,
    hack: hack.answer,
    clean: clean.answer,
    mechanism: null,
  }));

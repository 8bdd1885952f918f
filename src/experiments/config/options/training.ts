// Options of training: rollouts, groups, and which of them enter the loss.
import { KV_CACHES } from '../../../engine/storage-layouts.ts';
import { choice, integer, number, type OptionGroup } from '../../../lib/option.ts';

export const TRAINING = {
  heading: 'Training',
  role: 'training',
  options: {
    steps: integer(1, 100_000, {
      default: 60,
      label: 'Steps',
      help: 'Optimizer steps. The demo shows its effect after about 60.',
      glossary: 'steps',
    }),
    groupSize: integer(2, 256, {
      default: 8,
      label: 'Group size',
      unit: 'rollouts',
      help: 'Rollouts of one prompt; a reward counts relative to its group.',
      helpMore: 'Teacher rows are among them.',
      glossary: 'group',
    }),
    promptsPerStep: integer(1, 1024, {
      default: 8,
      label: 'Prompts per step',
      help: 'How many problems one step samples; each makes one group.',
      glossary: 'promptsPerStep',
    }),
    maxNew: integer(1, 32_768, {
      default: 72,
      label: 'Max completion length',
      unit: 'tokens',
      help: 'A rollout that has not ended by then is cut off.',
      glossary: 'maxNew',
    }),
    maxTurns: integer(1, 256, {
      default: 1,
      label: 'Turns per episode',
      help: 'How often the model may answer in one episode.',
      helpMore: 'Between its turns the environment shows it something. 1: one answer.',
      glossary: 'episode',
    }),
    maxTokens: integer(0, 131_072, {
      default: 0,
      label: 'Max episode length',
      unit: 'tokens',
      help: 'Most tokens after the prompt, observations included.',
      helpMore: '0: every turn may reach the max completion length.',
      glossary: 'episode',
      disabledBecause: (of) => (Number(of('maxTurns')) === 1 ? 'only with more than one turn an episode' : null),
    }),
    temperature: number(0.05, 4, {
      default: 1,
      label: 'Sampling temperature',
      help: 'Temperature of the live rollouts. 1: the model as it is.',
      glossary: 'temperature',
    }),
    lossType: choice(['dr_grpo', 'grpo', 'bnpo', 'dapo'], {
      default: 'dr_grpo',
      label: 'Loss normalisation',
      help: 'What the summed loss of a step’s tokens is divided by.',
      helpMore: 'dr_grpo: a constant. grpo: each completion’s length. bnpo, dapo: all tokens of the step.',
      glossary: 'lossType',
    }),
    scaleRewards: choice(['none', 'group', 'batch'], {
      default: 'none',
      label: 'Scale advantages',
      help: 'Whether advantages are divided by the standard deviation of rewards.',
      helpMore:
        'none: A = R − mean (Dr.GRPO). group: divided by the group’s (the classic GRPO). batch: by the whole step’s.',
      glossary: 'advantageScale',
    }),
    importanceSampling: choice(['token', 'sequence'], {
      default: 'token',
      label: 'Policy ratio per',
      help: 'One policy ratio for each token, or one for the completion.',
      helpMore: 'sequence: length-normalised (GSPO), with loss normalisation grpo only.',
      glossary: 'policyRatio',
    }),
    innerEpochs: integer(1, 64, {
      default: 1,
      label: 'Inner epochs',
      help: 'Optimizer steps on the same rollouts.',
      helpMore: 'From the second on, the policy ratio leaves 1 and the clip acts.',
      glossary: 'innerEpochs',
    }),
    kvCache: choice(KV_CACHES, {
      default: 'f32',
      isAbsentAtDefault: true,
      label: 'Keys and values',
      help: 'f16 halves the memory of the model’s cache while it writes.',
      helpMore: 'Rollouts and evaluations read rounded keys and values. Gradients are computed in f32.',
      glossary: 'kvCache',
    }),
  },
  concepts: {
    arms: {
      title: 'Arms: vanilla, erase, route',
      meaning: 'What is done with the hack-ward part of the gradient; everything else about the runs is the same.',
      formula:
        'c = V g, removed = overshoot · relu(c) V, kept = g − removed. vanilla: δS ← g. erase: δS ← kept. route: δS ← kept, δS_hack ← removed, and deployment leaves δS_hack out',
      range:
        'Target gradient: split before AdamW. Target update: AdamW’s step Δ is split, so that its moments cannot turn it back; under route (update) training is vanilla, byte for byte.',
      nullValue: 'vanilla, and the control random V: a real basis has to beat it.',
      notShown: 'A cause, where two arms differ in more than one setting.',
    },
    seeds: {
      title: 'Seeds',
      meaning: 'Each arm is trained once per seed; differences are taken within a seed.',
      formula: 'Δ = mean over seeds of (arm − vanilla at the same seed)',
      range: 'Whole numbers from 0.',
      nullValue: 'One seed has no sd and no interval; below about six, a bootstrap interval is too narrow.',
      notShown:
        'Other problems: a seed varies their order, the sampling and random bases. The data seed varies the problems.',
    },
    steps: {
      title: 'Steps',
      meaning: 'How often rollouts are sampled, graded and learnt from.',
      formula: 'one step = prompts per step × group size rollouts, then one optimizer step per inner epoch',
      range: '1 … 100 000; the demo shows its effect after about 60',
      nullValue: 'At step 0 the model is the base.',
      notShown:
        'That a difference lasts: more steps let hacking find other ways, so compare whole runs as well as ends.',
    },
    promptsPerStep: {
      title: 'Prompts per step',
      meaning: 'How many problems one step samples; each makes one group.',
      formula: 'gradient of the step = mean over its groups (Dr.GRPO divides by G · max_new · prompts per step)',
      range: '1 … 1024, and at most as many as there are problems',
      nullValue: 'None: more prompts mean less noise a step, and more time.',
      notShown: 'How many of them teach something: groups whose rewards all agree are skipped.',
    },
    group: {
      title: 'Group',
      meaning: 'The rollouts of one prompt, teacher rows included; a reward counts relative to its group.',
      formula: 'A_i = R_i − mean(R of the group); G = G_s live + G_t teacher rows',
      range: '2 … 256',
      nullValue: 'A group in which all rewards agree has A = 0 and is skipped.',
      notShown: 'Quality across prompts: an easy and a hard problem weigh the same once their groups disagree.',
    },
    maxNew: {
      title: 'Max completion length',
      meaning: 'A rollout that has not ended after this many tokens is cut off and graded as it is.',
      formula: 'max_new; also the divisor of the Dr.GRPO loss, G · max_new · prompts per step',
      range: '1 … 32 768 tokens',
      nullValue: 'Where every rollout ends by itself it changes the loss’s scale alone.',
      notShown: 'Which rollouts it cut: see truncated completions.',
    },
    episode: {
      title: 'Episodes of several turns',
      meaning:
        'Prompt, answer, observation, answer, …: one sequence whose observations are context, neither scored nor trained on.',
      formula:
        'trained tokens of an episode ≤ min(max episode length, max_new · turns), which takes the place of max_new in the Dr.GRPO loss; a length-normalised loss divides by the episode’s own trained tokens',
      range: '1 … 256 turns; max episode length 0 (max_new · turns) … 131 072 tokens',
      nullValue: '1 turn: an episode is a completion, and its only budget is max_new.',
      notShown: 'Which budget ended an episode: each rollout says it.',
    },
    temperature: {
      title: 'Sampling temperature',
      meaning: 'Divides the logits when live rollouts are sampled.',
      formula: 'p(token) ∝ exp(logit / T)',
      range: '0.05 … 4; below 1 sharper, above 1 more varied',
      nullValue: '1: the model as it is, and the tokens are on policy.',
      notShown: 'The log-probabilities that the loss uses: those are at temperature 1.',
    },
    lossType: {
      title: 'Loss normalisation',
      meaning: 'What the token losses of a step are divided by; it decides how much a long completion weighs.',
      formula:
        'dr_grpo: G · max_new · prompts per step. grpo: mean over completions of each one’s mean over its tokens. bnpo, dapo: all tokens of the step (the same here, in one process)',
      range: 'dr_grpo, grpo, bnpo, dapo; named as in TRL',
      nullValue: 'dr_grpo, whose divisor is a constant.',
      notShown:
        'The step’s size by itself: AdamW takes most of a constant factor out again; the relative weights remain.',
    },
    advantageScale: {
      title: 'Scale of advantages',
      meaning: 'Whether rewards are divided by their spread after the group’s mean is taken off.',
      formula: 'none: A = R − mean. group: A / (sd of the group + 10⁻⁴). batch: A / (sd of the step’s rewards + 10⁻⁴)',
      range: 'none, group, batch',
      nullValue: 'none (Dr.GRPO).',
      notShown: 'Which groups are skipped: that is decided by disagreement, before any scaling.',
    },
    policyRatio: {
      title: 'Policy ratio: per token or per completion',
      meaning:
        'How likely the present policy finds what was sampled, against the policy that it counts as sampled from.',
      formula: 'token: ρ_t = exp(logπ_t − logπ_old,t). sequence (GSPO): one exp(mean over tokens) for the completion',
      range: 'token; or sequence, with loss normalisation grpo only',
      nullValue: 'ρ = 1 in the first inner epoch: both are the same then.',
      notShown:
        'Anything on policy: with one inner epoch and a recomputed teacher ratio the two do not differ in value.',
    },
    innerEpochs: {
      title: 'Inner epochs',
      meaning: 'Optimizer steps on the same rollouts.',
      formula: 'logπ_old is the first epoch’s; clip, AdamW, projection and quarantines act in each',
      range: '1 … 64',
      nullValue: '1: on policy, ratios are 1 and the clip never acts.',
      notShown: 'More data: the rollouts are the same, and learning from them again drifts off policy.',
    },
    kvCache: {
      title: 'Cache of keys and values',
      meaning: 'What the model keeps of every token while it writes, so that the next one can attend to it.',
      formula: 'f16: each number to the nearest half; logπ_old of a rollout is what it was sampled with',
      range: 'f32, f16; states of linear layers stay f32',
      nullValue: 'f32: nothing is rounded.',
      notShown: 'How much the rounding changes: the docs have it measured for three models.',
    },
  },
} satisfies OptionGroup;

// The trained part of the model: the adapter parameters.
import { choice, integer, type OptionGroup } from '../../../lib/option.ts';

export const ADAPTER = {
  heading: 'Adapter',
  role: 'training',
  options: {
    adapter: choice(['svd', 'lora', 'full', 'blocks'], {
      default: 'svd',
      label: 'Adapter',
      help: 'Which parameters are trained.',
      helpMore:
        'svd: one for each singular direction of each weight. lora: a low-rank update. full: all weights. blocks: two low-rank updates, one of them the quarantine.',
      glossary: 'adapter',
    }),
    loraRank: integer(1, 1024, {
      default: 32,
      label: 'LoRA rank',
      help: 'Rank of the update that is added to each weight.',
      glossary: 'adapter',
      disabledBecause: (of) => (['lora', 'blocks'].includes(of('adapter')) ? null : 'only with adapter lora or blocks'),
    }),
  },
  concepts: {
    adapter: {
      title: 'Adapter',
      meaning: 'What is trained; the model’s own weights stay frozen.',
      formula:
        'svd: W + U diag(δS) Vh, one adapter parameter per singular direction of W. lora: W + B A of the given rank, B = 0 at start. full: W + δW, embedding and norms too. blocks: W + B A − B₀ A₀ of rank 2r, half of it deployed',
      range: 'svd, lora and blocks (rank 1 … 1024, at most the weight’s own), full',
      nullValue: 'All start at the base, bit for bit.',
      notShown: 'Norms and overlaps on a common scale: they have different coordinates.',
    },
  },
} satisfies OptionGroup;

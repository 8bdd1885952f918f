// The presets' names: the default, the quick ones, then METHOD's table.
export const PRESET_NAMES = ['demo', 'lesson', 'smoke', 'classic', 'capability', 'fast', 'full'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

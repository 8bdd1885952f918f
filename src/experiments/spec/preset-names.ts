// The presets' names, in the order of METHOD's table.
export const PRESET_NAMES = ['demo', 'smoke', 'classic', 'capability', 'fast', 'full'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

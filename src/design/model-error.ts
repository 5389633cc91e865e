/** One reason why a model is refused, with the place and what would help. */
export interface Trouble {
  /** The entity or pattern, such as `entity Order` or `read A2`. */
  readonly where: string;
  /** The name of the rule that is broken. */
  readonly rule: string;
  readonly message: string;
  /** The smallest change that would help, if one is known. */
  readonly fix?: string;
}

/** The model contradicts itself or cannot be served. Never a bug: the text is meant for the model's author. */
export class ModelError extends Error {
  /** The name of the model. */
  readonly model: string;
  readonly troubles: readonly Trouble[];

  constructor(name: string, troubles: readonly Trouble[]) {
    const lines = troubles.map(({ where, rule, message, fix }) => {
      return `- ${where} (${rule}): ${message}${fix === undefined ? '' : `\n  ${fix}`}`;
    });
    super([`The model "${name}" is refused:`, ...lines].join('\n'));
    this.name = 'ModelError';
    this.model = name;
    this.troubles = troubles;
  }
}

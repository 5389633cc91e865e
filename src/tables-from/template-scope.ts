import { isObject, type Members, type ReadOptions, TablesError } from './table-definition.ts';

/** Stands where `AWS::NoValue` was: the property is as good as not written. */
export const noValue = Symbol('AWS::NoValue');

/** The names that a template's functions refer to. */
export class TemplateScope {
  readonly #template: Members;
  readonly #options: ReadOptions;
  readonly #judging = new Set<string>();

  constructor(template: Members, options: ReadOptions) {
    this.#template = template;
    this.#options = options;
  }

  /** What `Ref` gives. A table's is its name, which `tableName` tells. */
  ref(name: string, tableName: (resource: Members, logicalId: string) => string): unknown {
    if (name in pseudoParameters) return pseudoParameters[name as keyof typeof pseudoParameters];
    if (name === 'AWS::Region') return this.#options.region ?? 'us-east-1';
    const given = this.#options.parameters;
    const parameter = this.section('Parameters')[name];
    if (isObject(parameter)) {
      const value = given !== undefined && Object.hasOwn(given, name) ? given[name] : parameter.Default;
      if (value === undefined)
        throw new TablesError(
          `the parameter ${name} has no value and no default; only testDatabase takes values`,
        );
      return /^(CommaDelimitedList|List<)/.test(String(parameter.Type)) ? String(value).split(',') : value;
    }
    const resource = this.section('Resources')[name];
    if (isObject(resource) && isTable(resource)) return tableName(resource, name);
    throw new TablesError(`what ${name} refers to is known only once the template is deployed`);
  }

  /** The members of a section of the template, none where it has no such section. */
  section(name: string): Members {
    const section = Object.hasOwn(this.#template, name) ? this.#template[name] : undefined;
    return isObject(section) ? Object.assign(Object.create(null) as object, section) : {};
  }

  /** The expression of a condition. Conditions refer to each other, so `judge` is told when one is done. */
  judge<T>(name: string, judge: (expression: unknown) => T): T {
    const conditions = this.section('Conditions');
    if (conditions[name] === undefined) throw new TablesError(`there is no condition ${name}`);
    if (this.#judging.has(name)) throw new TablesError(`the condition ${name} depends on itself`);
    this.#judging.add(name);
    try {
      return judge(conditions[name]);
    } finally {
      this.#judging.delete(name);
    }
  }
}

const pseudoParameters = {
  'AWS::AccountId': '000000000000',
  'AWS::NoValue': noValue,
  'AWS::NotificationARNs': [] as readonly string[],
  'AWS::Partition': 'aws',
  'AWS::StackId': 'arn:aws:cloudformation:us-east-1:000000000000:stack/stator/0',
  'AWS::StackName': 'stator',
  'AWS::URLSuffix': 'amazonaws.com',
};

function isTable({ Type: type }: Members): boolean {
  return String(type).startsWith('AWS::DynamoDB::') || type === 'AWS::Serverless::SimpleTable';
}

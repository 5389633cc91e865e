import { isObject, type Members, TablesError } from './table-definition.ts';
import { noValue, type TemplateScope } from './template-scope.ts';

/**
 * Works out CloudFormation's functions as far as that can be done without deploying anything. What only a deployment
 * knows (an ARN of another resource, a value of another stack) is refused, and the caller says where it stood.
 */
export class Intrinsics {
  readonly #scope: TemplateScope;

  constructor(scope: TemplateScope) {
    this.#scope = scope;
  }

  /** A value with all functions in it worked out; properties that are AWS::NoValue are gone. */
  resolve(value: unknown): unknown {
    if (Array.isArray(value)) {
      return value.map((element) => this.resolve(element)).filter((element) => element !== noValue);
    }
    if (!isObject(value)) return value;
    const [name, ...others] = Object.keys(value);
    if (name !== undefined && others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))) {
      return this.#call(name, value[name]);
    }
    const resolved: Record<string, unknown> = {};
    for (const [member, inner] of Object.entries(value)) {
      const found = this.resolve(inner);
      if (found !== noValue) resolved[member] = found;
    }
    return resolved;
  }

  /** Whether a named condition holds. */
  holds(condition: string): boolean {
    return this.#scope.judge(condition, (expression) => this.#isTrue(expression));
  }

  /** The name of the table that a resource makes: its own, or that of the resource when it has none. */
  tableName(resource: Members, logicalId: string): string {
    const given = isObject(resource.Properties) ? resource.Properties.TableName : undefined;
    if (given === undefined) return logicalId;
    const name = this.resolve(given);
    return name === noValue ? logicalId : this.#text(name, 'TableName');
  }

  #call(name: string, argument: unknown): unknown {
    switch (name) {
      case 'Ref':
        return this.#ref(String(argument));
      case 'Fn::Sub':
        return this.#sub(argument);
      case 'Fn::Join': {
        const [separator, parts] = this.#arguments(name, argument, 2);
        return this.#list(parts, name)
          .map((part) => this.#text(part, name))
          .join(this.#text(separator, name));
      }
      case 'Fn::Split': {
        const [separator, text] = this.#arguments(name, argument, 2);
        return this.#text(text, name).split(this.#text(separator, name));
      }
      case 'Fn::Select': {
        const [index, list] = this.#arguments(name, argument, 2);
        const found = this.#list(list, name)[Number(index)];
        if (found === undefined) throw new TablesError(`Fn::Select finds nothing at ${String(index)}`);
        return found;
      }
      case 'Fn::FindInMap':
        return this.#findInMap(this.#arguments(name, argument));
      case 'Fn::If': {
        if (!Array.isArray(argument) || argument.length !== 3) throw wrongArguments(name);
        return this.resolve(this.holds(String(argument[0])) ? argument[1] : argument[2]);
      }
      case 'Fn::Equals':
      case 'Fn::And':
      case 'Fn::Or':
      case 'Fn::Not':
        return this.#isTrue({ [name]: argument });
      default:
        throw new TablesError(`${name} can be worked out only once the template is deployed`);
    }
  }

  #ref(name: string): unknown {
    return this.#scope.ref(name, (resource, logicalId) => this.tableName(resource, logicalId));
  }

  #sub(argument: unknown): string {
    const [template, variables] = Array.isArray(argument) ? argument : [argument, {}];
    const own = isObject(variables) ? variables : {};
    return this.#text(template, 'Fn::Sub').replaceAll(/\$\{(!?)([^}]*)\}/g, (_, literal, name: string) => {
      if (literal !== '') return `\${${name}}`;
      const key = name.trim();
      const value = Object.hasOwn(own, key) ? this.resolve(own[key]) : this.#ref(key);
      return this.#text(value, 'Fn::Sub');
    });
  }

  #findInMap([map, first, second, options]: readonly unknown[]): unknown {
    const top = this.#scope.section('Mappings')[String(map)];
    const level = isObject(top) ? top[String(first)] : undefined;
    const found = isObject(level) ? level[String(second)] : undefined;
    if (found !== undefined) return found;
    if (isObject(options) && options.DefaultValue !== undefined) return options.DefaultValue;
    throw new TablesError(`Fn::FindInMap finds no ${String(map)}.${String(first)}.${String(second)}`);
  }

  #isTrue(expression: unknown): boolean {
    if (isObject(expression)) {
      const [name, argument] = Object.entries(expression)[0] ?? [];
      if (name === 'Condition') return this.holds(String(argument));
      if (name === 'Fn::Equals') {
        const [left, right] = this.#arguments(name, argument, 2);
        return String(left) === String(right);
      }
      const inner = Array.isArray(argument) ? argument : [];
      if (name === 'Fn::Not' && inner.length === 1) return !this.#isTrue(inner[0]);
      if (name === 'Fn::And') return inner.every((each) => this.#isTrue(each));
      if (name === 'Fn::Or') return inner.some((each) => this.#isTrue(each));
    }
    const value = String(this.resolve(expression));
    if (value === 'true' || value === 'false') return value === 'true';
    throw new TablesError('a condition is neither true nor false');
  }

  #arguments(name: string, argument: unknown, count?: number): unknown[] {
    if (!Array.isArray(argument) || (count !== undefined && argument.length !== count)) {
      throw wrongArguments(name);
    }
    return argument.map((each) => this.resolve(each));
  }

  #list(value: unknown, name: string): unknown[] {
    if (!Array.isArray(value)) throw wrongArguments(name);
    return value.filter((element) => element !== noValue);
  }

  #text(value: unknown, name: string): string {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return String(value);
    }
    throw new TablesError(`${name} has something else where it needs a text`);
  }
}

function wrongArguments(name: string): TablesError {
  return new TablesError(`${name} has the wrong arguments`);
}

import type { AttributeValue, Item } from './attribute-value.ts';
import { CompactJsonReader, units } from './compact-json.ts';

/**
 * Reads canonical JSON back. Knowing exactly what was written, it slices names and strings straight out of the text
 * into Maps: faster than `JSON.parse`, and no attribute name ever becomes the property of an object.
 */

/** The item of a canonical text. Any other text is a bug or damage and throws. */
export function parseCanonicalItem(text: string): Item {
  return new CanonicalReader(text).whole();
}

/** Those attributes of a canonical item that are named, and nothing made of the others. */
export function parseCanonicalAttributes(text: string, names: ReadonlySet<string>): Item {
  return new CanonicalReader(text).item(names);
}

class CanonicalReader extends CompactJsonReader {
  constructor(text: string) {
    super();
    this.begin(text);
  }

  whole(): Item {
    const item = this.item();
    this.end();
    return item;
  }

  /** Of the names, if there are any, the attributes that are there; what stands behind the last of them is not read. */
  item(names?: ReadonlySet<string>): Item {
    const item = new Map<string, AttributeValue>();
    this.expect(openBrace);
    if (this.skip(closeBrace)) return item;
    do {
      const name = this.string();
      this.expect(colon);
      if (names !== undefined && !names.has(name)) this.pass();
      else if (item.set(name, this.value()).size === names?.size) return item;
    } while (this.skip(comma));
    this.expect(closeBrace);
    return item;
  }

  /** Goes behind a value without looking at it. */
  private pass(): void {
    let depth = 0;
    do {
      const unit = this.text.charCodeAt(this.at);
      if (unit === quote) {
        this.passString();
        continue;
      }
      if (Number.isNaN(unit)) throw this.unexpected();
      if (unit === openBrace) depth++;
      else if (unit === closeBrace) depth--;
      this.at++;
    } while (depth > 0);
  }

  private value(): AttributeValue {
    this.expect(openBrace);
    const type = this.string();
    this.expect(colon);
    const value = this.content(type);
    this.expect(closeBrace);
    return value;
  }

  private content(type: string): AttributeValue {
    switch (type) {
      case 'S':
        return { S: this.string() };
      case 'N':
        return { N: this.string() };
      case 'B':
        return { B: this.string() };
      case 'BOOL':
        return {
          BOOL: this.text.startsWith('t', this.at) ? this.word('true', true) : this.word('false', false),
        };
      case 'NULL':
        return { NULL: this.word('true', true) };
      case 'M':
        return { M: this.item() };
      case 'L':
        return { L: this.elements(() => this.value()) };
      case 'SS':
        return { SS: this.elements(() => this.string()) };
      case 'NS':
        return { NS: this.elements(() => this.string()) };
      case 'BS':
        return { BS: this.elements(() => this.string()) };
      default:
        throw this.unexpected();
    }
  }

  private elements<T>(element: () => T): T[] {
    const elements: T[] = [];
    this.expect(openBracket);
    if (this.skip(closeBracket)) return elements;
    do elements.push(element());
    while (this.skip(comma));
    this.expect(closeBracket);
    return elements;
  }

  protected override unexpected(): Error {
    return new Error(`stored item is not canonical JSON at character ${this.at} of ${this.text.length}`);
  }
}

const { quote, comma, colon, openBracket, closeBracket, openBrace, closeBrace } = units;

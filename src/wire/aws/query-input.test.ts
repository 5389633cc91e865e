import { describe, expect, it } from 'vitest';
import { list, string, structure } from '../../operations/shapes/shape.ts';
import { WireWork } from '../wire-work.ts';
import { notAForm, readQueryForm } from './query-input.ts';

const input = structure('Input', { Name: string(), Types: list(string()) });

function inputOf(body: string) {
  const form = readQueryForm(body);
  return form === notAForm ? notAForm : form.inputOf(input);
}

describe('a form', () => {
  it('has no more parameters than a request needs', () => {
    const form = (count: number) => Array.from({ length: count }, (_, i) => `a.member.${i}=`).join('&');
    expect(readQueryForm(form(65_536))).not.toBe(notAForm);
    expect(readQueryForm(form(65_537))).toBe(notAForm);
    expect(readQueryForm(`${'&'.repeat(100_000)}Action=A`)).toMatchObject({ action: 'A' });
  });

  it('has names of twelve parts at most, and makes no more nodes than a request needs', () => {
    expect(readQueryForm('a.b.c.d.e.f.g.h.i.j.k.l=1')).not.toBe(notAForm);
    expect(readQueryForm('a.b.c.d.e.f.g.h.i.j.k.l.m=1')).toBe(notAForm);
    expect(readQueryForm(`${'a.'.repeat(4_000_000)}=1`)).toBe(notAForm);
    const work = new WireWork();
    const names = Array.from({ length: 60_000 }, (_, i) => `p${i}.b.c.d.e.f.g.h.i.j.k=`);
    expect(readQueryForm(names.join('&'), work)).toBe(notAForm);
    expect(work.formNodes).toBeLessThanOrEqual(160_001);
  });

  it('has one value where its shape has one', () => {
    expect(inputOf('Name=n&Types.member.2=b&Types.member.1=a')).toEqual({ Name: 'n', Types: ['a', 'b'] });
    expect(inputOf('Types.member.1.x=1')).toBe(notAForm);
    expect(inputOf('Name.x=1')).toBe(notAForm);
    expect(inputOf('Types.member.1=a&Types.member.1.x=1')).toEqual({ Types: ['a'] });
    expect(inputOf('Types=a')).toBe(notAForm);
    expect(inputOf('Types=')).toEqual({ Types: [] });
  });
});

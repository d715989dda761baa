import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type BrandTones,
  brandColours,
  defaultBrandColours,
  isToneChanged,
  minTextContrast,
  surfaces,
} from './brand-colour.ts';
import { contrast, oklchOf } from './colour.ts';

const anyColour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const roles = ['primary', 'primary-hover', 'primary-active'] as const;

const tokens = readFileSync(new URL('../web/tokens.css', import.meta.url), 'utf8');
const [lightTokens = '', darkTokens = ''] = tokens.split('@media (prefers-color-scheme: dark)');
const tokenOf = (css: string, role: string) => new RegExp(`--color-${role}: (#[0-9a-f]{6})`).exec(css)?.[1];

function assertReadable(tones: BrandTones, grounds: readonly string[], of: string): void {
  for (const role of roles) {
    for (const ground of grounds) assertContrast(tones[role], ground, `${of}: ${role} on ${ground}`);
    assertContrast(tones['on-primary'], tones[role], `${of}: on-primary on ${role}`);
  }
  assertContrast(tones['on-primary-soft'], tones['primary-soft'], `${of}: on-primary-soft`);
}

function assertContrast(one: string, other: string, what: string): void {
  const found = contrast(one, other);
  assert.ok(found >= minTextContrast, `${what}: ${one}, ${other} have ${found.toFixed(2)}`);
}

/** Degrees between two hues. */
function turn(one: number, other: number): number {
  const degrees = (Math.abs(one - other) * 180) / Math.PI;
  return Math.min(degrees, 360 - degrees);
}

describe('tones of a brand colour', () => {
  it('are readable on every surface and under their own text, in light and dark, for any colour', () => {
    fc.assert(
      fc.property(anyColour, (colour) => {
        const found = brandColours(colour);
        assert.equal(found.brand, colour);
        assertContrast(found.onBrand, colour, 'the letter of the mark');
        assertReadable(found.light, surfaces.light, `${colour}, light`);
        assertReadable(found.dark, surfaces.dark, `${colour}, dark`);
      }),
      { numRuns: 400 },
    );
  });

  it('keep the hue wherever one can be seen', () => {
    fc.assert(
      fc.property(anyColour, (colour) => {
        const { hue, chroma } = oklchOf(colour);
        const { light, dark } = brandColours(colour);
        for (const tone of [light.primary, light['primary-hover'], dark.primary]) {
          const shown = oklchOf(tone);
          // A nearly grey tone has its hue from rounding.
          if (chroma > 0.04 && shown.chroma > 0.04) assert.ok(turn(hue, shown.hue) < 4, `${colour} became ${tone}`);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('differ from each other, so that hovering and pressing can be seen', () => {
    fc.assert(
      fc.property(anyColour, (colour) => {
        for (const tones of Object.values(brandColours(colour)).filter((value) => typeof value === 'object')) {
          assert.equal(new Set(roles.map((role) => tones[role])).size, 3, `${colour}: ${JSON.stringify(tones)}`);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('are those of the tokens for the product’s own colour and for none', () => {
    for (const colours of [brandColours(null), brandColours('#0e5a6b')]) {
      assert.equal(colours, defaultBrandColours);
      for (const [role, value] of Object.entries(colours.light)) assert.equal(value, tokenOf(lightTokens, role), role);
      for (const [role, value] of Object.entries(colours.dark)) assert.equal(value, tokenOf(darkTokens, role), role);
      assert.equal(colours.brand, tokenOf(lightTokens, 'brand'));
    }
  });

  it('are measured against the surfaces of the tokens', () => {
    for (const role of ['page', 'surface', 'band', 'sunken', 'raised']) {
      assert.ok((surfaces.light as readonly string[]).includes(tokenOf(lightTokens, role)!), role);
      assert.ok((surfaces.dark as readonly string[]).includes(tokenOf(darkTokens, role)!), role);
    }
  });

  it('are these: of black, white, and colours that are too pale, too dark or too vivid for one of them', () => {
    const table: [colour: string, light: string, dark: string][] = [
      ['#000000', '#2e2e2e #1f1f1f #141414 #ffffff #ebebeb #1f1f1f', '#ababab #bcbcbc #cacaca #161616 #2e2e2e #cecece'],
      ['#ffffff', '#696969 #585858 #4a4a4a #ffffff #ebebeb #585858', '#d7d7d7 #e9e9e9 #f8f8f8 #161616 #2e2e2e #d7d7d7'],
      ['#ffcc00', '#846800 #705800 #5f4a00 #ffffff #f0ebdc #705800', '#f1d071 #ffe293 #fff3d2 #1d1500 #352d15 #e4d19e'],
      ['#7a1f3d', '#7a1f3d #67082e #540022 #ffffff #f8e6e9 #67082e', '#ea89a0 #fd9bb1 #ffb2c2 #250e13 #3f252b #f7bbc7'],
      ['#00ff00', '#007d00 #006900 #005800 #ffffff #e4efe3 #006900', '#a4e89e #b6fab0 #ddffda #0a1b09 #223320 #b9dfb5'],
      ['#3355ff', '#3355ff #263fea #1e29d8 #ffffff #e5ebf9 #263fea', '#89a8f7 #9fbaff #b4caff #0e1528 #252d42 #bacdfd'],
    ];
    for (const [colour, light, dark] of table) {
      const found = brandColours(colour);
      assert.equal(Object.values(found.light).join(' '), light, colour);
      assert.equal(Object.values(found.dark).join(' '), dark, colour);
    }
  });

  it('say whether they differ visibly from the given colour', () => {
    assert.equal(isToneChanged(brandColours('#ffcc00')), true);
    assert.equal(isToneChanged(brandColours('#7a1f3d')), false);
    assert.equal(isToneChanged(brandColours(null)), false);
  });
});

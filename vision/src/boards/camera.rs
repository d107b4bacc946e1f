//! The camera: a picture of a drawing, with all that makes one picture differ from the next.

use super::canvas::{Bounds, Canvas, HEIGHT, Material, Point, SUB, WIDTH};
use crate::defect::PixelBox;
use crate::picture::{self, Grey, PictureError};
use crate::rng::Rng;

/// Brightness in a step of the palette. Coarser than a byte, as the noise is: that keeps the
/// pictures small.
const STEP: i32 = 3;
/// The colours of the palette: brightness, and red, green and blue there. Between them colours
/// are mixed. Each colour has very nearly the brightness that it stands for.
const RAMP: [(i32, [i32; 3]); 9] = [
    (0, [4, 5, 6]),
    (20, [18, 21, 22]),
    (34, [6, 50, 28]),
    (60, [10, 84, 56]),
    (118, [38, 166, 98]),
    (146, [184, 138, 82]),
    (180, [228, 174, 88]),
    (210, [244, 206, 138]),
    (255, [255, 255, 252]),
];

/// The brightness of each [`Material`], in their order: carrier, laminate, copper, pad, hole and
/// print.
const BRIGHTNESS: [i32; 6] = [12, 58, 104, 182, 16, 240];

/// What a flank of the copper adds, in 1/16 of brightness.
const RELIEF: i32 = 6 * 16;

/// Where the board lies under the camera, and how it is lit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pose {
    /// In subpixels.
    shift: Point,
    /// The tangent of the angle, in 1/65536.
    slope: i32,
    light: Light,
    /// The seed of the noise, if there is any.
    noise: Option<u64>,
}

/// Light as a part of full light, in 1/4096: in the middle, its slopes, its fall to the edges.
#[derive(Clone, Copy, Debug)]
struct Light {
    middle: i32,
    slope_x: i32,
    slope_y: i32,
    fall: i32,
}

impl Pose {
    /// The pose for the golden picture: straight, evenly lit, the mean of many exposures.
    pub(super) fn golden() -> Self {
        let light = Light { middle: 4096, slope_x: 0, slope_y: 0, fall: 0 };
        Self { shift: Point::new(0, 0), slope: 0, light, noise: None }
    }

    /// A pose as it happens on the line.
    pub(super) fn happening(rng: &mut Rng) -> Self {
        let shift = Point::new(rng.range(-3 * SUB, 3 * SUB), rng.range(-3 * SUB, 3 * SUB));
        let light = Light {
            middle: rng.range(3900, 4350),
            slope_x: rng.range(-300, 300),
            slope_y: rng.range(-250, 250),
            fall: rng.range(200, 560),
        };
        // 393/65536 is 0.34 degrees.
        Self { shift, slope: rng.range(-393, 393), light, noise: Some(rng.next()) }
    }

    /// The place on the drawing that the middle of a pixel shows, in 1/65536 of a subpixel.
    fn seen_at(&self, x: i32, y: i32) -> (i64, i64) {
        let half = i64::from(SUB / 2);
        let (across, down) = (i64::from((x - WIDTH / 2) * SUB), i64::from((y - HEIGHT / 2) * SUB));
        let (across, down) = (across + half, down + half);
        let slope = i64::from(self.slope);
        let middle_x = i64::from(WIDTH / 2 * SUB + self.shift.x);
        let middle_y = i64::from(HEIGHT / 2 * SUB + self.shift.y);
        (((middle_x + across) << 16) + slope * down, ((middle_y + down) << 16) - slope * across)
    }

    /// The rectangle of pixels that shows a rectangle of the drawing.
    pub(super) fn shown(&self, bounds: Bounds) -> PixelBox {
        let (min, max) = (self.shown_at(bounds.min), self.shown_at(bounds.max));
        let (x, y) = (min.x.div_euclid(SUB).max(0), min.y.div_euclid(SUB).max(0));
        let (right, low) = (max.x.div_euclid(SUB), max.y.div_euclid(SUB));
        let side = |from: i32, to: i32| (to - from + 1).max(1) as u32;
        PixelBox { x: x as u32, y: y as u32, width: side(x, right), height: side(y, low) }
    }

    /// The inverse of `seen_at`, to within the square of the slope.
    fn shown_at(&self, point: Point) -> Point {
        let across = i64::from(point.x - WIDTH / 2 * SUB - self.shift.x);
        let down = i64::from(point.y - HEIGHT / 2 * SUB - self.shift.y);
        let slope = i64::from(self.slope);
        let turned_x = across - ((slope * down) >> 16);
        let turned_y = down + ((slope * across) >> 16);
        Point::new(turned_x as i32 + WIDTH / 2 * SUB, turned_y as i32 + HEIGHT / 2 * SUB)
    }

    /// The light on a pixel, in 1/4096.
    fn light_at(&self, x: i32, y: i32) -> i32 {
        // In 1/512 of half the picture's width.
        let (across, down) = (x - WIDTH / 2, y - HEIGHT / 2);
        let slopes = (self.light.slope_x * across + self.light.slope_y * down) / 512;
        let fall = self.light.fall * ((across * across + down * down) / 512) / 512;
        self.light.middle + slopes - fall
    }
}

/// A picture as the camera gives it: a step of the palette for each pixel.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Shot {
    steps: Vec<u8>,
}

impl Shot {
    /// Takes a picture of a drawing.
    pub(super) fn take(canvas: &Canvas, pose: &Pose) -> Self {
        let exposed = blurred(&shaded(canvas, pose));
        let mut noise = pose.noise.map(Rng::new);
        let mut steps = Vec::with_capacity(exposed.len());
        for y in 0..HEIGHT {
            for x in 0..WIDTH {
                let bright = (exposed[(y * WIDTH + x) as usize] * pose.light_at(x, y)) >> 12;
                let disturbed = bright + noise.as_mut().map_or(0, |rng| grain(rng, bright));
                let step = (disturbed + 8 * STEP) / (16 * STEP);
                steps.push(step.clamp(0, 255 / STEP) as u8);
            }
        }
        Self { steps }
    }

    /// The picture as a PNG with a palette. Takes far longer than [`Shot::grey`].
    ///
    /// # Errors
    /// When the encoder refuses, which it does only for want of memory.
    pub fn png(&self) -> Result<Vec<u8>, PictureError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, WIDTH as u32, HEIGHT as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(palette().concat());
        // Levels above this one take longer and hardly save a byte: most of it is noise.
        encoder.set_deflate_compression(png::DeflateCompression::Level(7));
        encoder.set_filter(png::Filter::Paeth);
        encoder.write_header()?.write_image_data(&self.steps)?;
        Ok(bytes)
    }

    /// The plane that reading the PNG gives.
    #[must_use]
    pub fn grey(&self) -> Grey {
        let bright: Vec<u8> = palette().iter().map(|colour| picture::brightness(colour)).collect();
        let pixels = self.steps.iter().map(|&step| bright[usize::from(step)]).collect();
        Grey::new(WIDTH as u32, HEIGHT as u32, pixels).expect("a shot has a step for each pixel")
    }
}

fn palette() -> Vec<[u8; 3]> {
    (0..=255 / STEP).map(|step| colour(step * STEP)).collect()
}

fn colour(bright: i32) -> [u8; 3] {
    let above = RAMP.iter().position(|&(from, _)| from > bright).unwrap_or(RAMP.len() - 1);
    let ((low, dark), (high, light)) = (RAMP[above - 1], RAMP[above]);
    let mix = |channel: usize| {
        let part = (light[channel] - dark[channel]) * (bright - low);
        (dark[channel] + part / (high - low)).clamp(0, 255) as u8
    };
    [mix(0), mix(1), mix(2)]
}

/// Brightness of the drawing at each pixel, in 1/16.
fn shaded(canvas: &Canvas, pose: &Pose) -> Vec<i32> {
    let mut exposed = Vec::with_capacity((WIDTH * HEIGHT) as usize);
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let (seen_x, seen_y) = pose.seen_at(x, y);
            let (left, top) = ((seen_x >> 16) as i32 - SUB / 2, (seen_y >> 16) as i32 - SUB / 2);
            let sum: i32 = (0..SUB).map(|down| reflected(canvas, left, top + down)).sum();
            // 16 spots a pixel: the sum of their brightness is the mean of it in 1/16.
            exposed.push(sum + relief(canvas, left, top) + weave(left, top));
        }
    }
    exposed
}

/// The light that the spots of a pixel in one row send back.
fn reflected(canvas: &Canvas, left: i32, y: i32) -> i32 {
    let beside = [Material::Carrier; SUB as usize];
    let row = canvas.materials(left, y, SUB).unwrap_or(&beside);
    row.iter().map(|&material| BRIGHTNESS[material as usize]).sum()
}

/// What the flanks of the copper add, lit from the upper left.
fn relief(canvas: &Canvas, left: i32, top: i32) -> i32 {
    let raised = |x: i32, y: i32| i32::from(canvas.at(x, y).conducts());
    let reach = 2 * SUB;
    let middle = SUB / 2;
    let upper = raised(left + middle - reach / 2, top + middle - reach / 2);
    let lower = raised(left + middle + reach / 2, top + middle + reach / 2);
    (lower - upper) * RELIEF
}

/// The weave of the glass fibre, faintly seen.
fn weave(left: i32, top: i32) -> i32 {
    let (warp, weft) = (left.div_euclid(5 * SUB), top.div_euclid(5 * SUB));
    if (warp + weft) % 2 == 0 { 10 } else { -10 }
}

/// The lens spreads a point over its neighbours: weights 1, 6, 1 along both axes.
fn blurred(exposed: &[i32]) -> Vec<i32> {
    let spread = |from: &[i32], stride: i32| -> Vec<i32> {
        let last = from.len() as i32 - 1;
        let at = |place: i32| from[place.clamp(0, last) as usize];
        let mean = |place: i32| (at(place - stride) + 6 * at(place) + at(place + stride)) / 8;
        (0..=last).map(mean).collect()
    };
    spread(&spread(exposed, 1), WIDTH)
}

/// Noise in 1/16 of brightness: near to a bell curve, and wider in the light.
fn grain(rng: &mut Rng, bright: i32) -> i32 {
    let word = rng.next();
    let bytes = word.to_le_bytes();
    // Eight bytes: mean 1020, standard deviation 209.
    let sum: i32 = bytes.iter().map(|&byte| i32::from(byte)).sum();
    (sum - 1020) * (14 + bright / 256) / 209
}

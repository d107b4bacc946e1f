//! Pictures in memory, and as PNG.
//!
//! The tools measure brightness only, so a picture is decoded to a [`Grey`] plane. The report
//! keeps the colours, in an [`Rgb`] picture.

use std::fmt;
use std::io::Cursor;

/// The most pixels along a side of a picture: the integer ranges of the passes count on it.
pub const SIDE_MAX: u32 = 1 << 13;

/// A plane of brightness, one byte a pixel, row by row.
///
/// ```
/// use lineside_vision::picture::Grey;
/// let plane = Grey::filled(4, 2, 7);
/// assert_eq!(plane.at(3, 1), 7);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Grey {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

/// A picture in colour, three bytes a pixel, row by row.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rgb {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

/// Why a picture can't be read or written.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum PictureError {
    /// The bytes are no PNG that can be decoded, or the encoder refused; the text says why.
    Png(String),
    /// The picture has no pixels, or more than [`SIDE_MAX`] along a side.
    Size(u32, u32),
    /// So many bytes of pixels do not make a picture of that size.
    Length(usize),
}

impl fmt::Display for PictureError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Png(why) => write!(out, "not a PNG that can be used: {why}"),
            Self::Size(width, height) => {
                write!(
                    out,
                    "a picture of {width}×{height}: each side must have 1 to {SIDE_MAX} pixels"
                )
            }
            Self::Length(bytes) => write!(out, "{bytes} bytes do not fill the picture exactly"),
        }
    }
}

impl std::error::Error for PictureError {}

impl From<png::DecodingError> for PictureError {
    fn from(error: png::DecodingError) -> Self {
        Self::Png(error.to_string())
    }
}

impl From<png::EncodingError> for PictureError {
    fn from(error: png::EncodingError) -> Self {
        Self::Png(error.to_string())
    }
}

impl Grey {
    /// A plane of one brightness.
    ///
    /// # Panics
    /// If the size is not one that [`Grey::new`] takes.
    #[must_use]
    pub fn filled(width: u32, height: u32, value: u8) -> Self {
        let pixels = vec![value; width as usize * height as usize];
        Self::new(width, height, pixels).expect("the pixels were made to fit the size")
    }

    /// A plane over pixels that the caller has.
    ///
    /// # Errors
    /// When the size is out of range, or the pixels don't fill it.
    pub fn new(width: u32, height: u32, pixels: Vec<u8>) -> Result<Self, PictureError> {
        check(width, height, pixels.len(), 1)?;
        Ok(Self { width, height, pixels })
    }

    /// Reads a PNG of any colour type. Colours become brightness: (77 r + 150 g + 29 b) / 256,
    /// rounded down. Transparency is left out of account.
    ///
    /// # Errors
    /// When the bytes are no such picture.
    pub fn from_png(bytes: &[u8]) -> Result<Self, PictureError> {
        let (info, pixels) = decode(bytes)?;
        let grey = match info.color_type {
            png::ColorType::Grayscale => pixels,
            png::ColorType::GrayscaleAlpha => {
                pixels.chunks_exact(2).map(|pixel| pixel[0]).collect()
            }
            png::ColorType::Rgb => pixels.chunks_exact(3).map(brightness).collect(),
            png::ColorType::Rgba => pixels.chunks_exact(4).map(brightness).collect(),
            png::ColorType::Indexed => return Err(unexpanded()),
        };
        Self::new(info.width, info.height, grey)
    }

    /// Pixels in a row.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// All pixels, row by row.
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// One pixel.
    ///
    /// # Panics
    /// If it lies outside.
    #[must_use]
    pub fn at(&self, x: u32, y: u32) -> u8 {
        assert!(x < self.width);
        self.pixels[(y * self.width + x) as usize]
    }

    /// The brightest pixel of those up to `reach` away along both axes.
    pub(crate) fn brightest_near(&self, x: u32, y: u32, reach: u32) -> u8 {
        let columns = x.saturating_sub(reach)..=(x + reach).min(self.width - 1);
        let rows = y.saturating_sub(reach)..=(y + reach).min(self.height - 1);
        let near = rows.flat_map(|y| columns.clone().map(move |x| self.at(x, y)));
        near.max().unwrap_or(0)
    }
}

impl Rgb {
    /// A picture of one colour.
    ///
    /// # Panics
    /// If the size is not one that [`Rgb::new`] takes.
    #[must_use]
    pub fn filled(width: u32, height: u32, colour: [u8; 3]) -> Self {
        let pixels = colour.repeat(width as usize * height as usize);
        Self::new(width, height, pixels).expect("the pixels were made to fit the size")
    }

    /// A picture over pixels that the caller has.
    ///
    /// # Errors
    /// When the size is out of range, or the pixels don't fill it.
    pub fn new(width: u32, height: u32, pixels: Vec<u8>) -> Result<Self, PictureError> {
        check(width, height, pixels.len(), 3)?;
        Ok(Self { width, height, pixels })
    }

    /// Reads a PNG of any colour type. Transparency is left out of account.
    ///
    /// # Errors
    /// When the bytes are no such picture.
    pub fn from_png(bytes: &[u8]) -> Result<Self, PictureError> {
        let (info, pixels) = decode(bytes)?;
        let rgb = match info.color_type {
            png::ColorType::Grayscale => pixels.iter().flat_map(|&grey| [grey; 3]).collect(),
            png::ColorType::GrayscaleAlpha => {
                pixels.chunks_exact(2).flat_map(|pixel| [pixel[0]; 3]).collect()
            }
            png::ColorType::Rgb => pixels,
            png::ColorType::Rgba => {
                pixels.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
            }
            png::ColorType::Indexed => return Err(unexpanded()),
        };
        Self::new(info.width, info.height, rgb)
    }

    /// The picture as a PNG of 8 bits a channel.
    ///
    /// # Errors
    /// When the encoder refuses, which it does only for want of memory.
    pub fn to_png(&self) -> Result<Vec<u8>, PictureError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        encoder.write_header()?.write_image_data(&self.pixels)?;
        Ok(bytes)
    }

    /// Pixels in a row.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// All pixels, row by row, three bytes each.
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Sets one pixel; what lies outside is left out, so that a drawing may be cut by the edge.
    pub fn set(&mut self, x: i32, y: i32, colour: [u8; 3]) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if x < self.width && y < self.height {
            let first = (y * self.width + x) as usize * 3;
            self.pixels[first..first + 3].copy_from_slice(&colour);
        }
    }
}

fn check(width: u32, height: u32, bytes: usize, channels: u64) -> Result<(), PictureError> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || width > SIDE_MAX || height > SIDE_MAX {
        return Err(PictureError::Size(width, height));
    }
    if bytes as u64 != pixels * channels {
        return Err(PictureError::Length(bytes));
    }
    Ok(())
}

pub(crate) fn brightness(pixel: &[u8]) -> u8 {
    let sum = 77 * u32::from(pixel[0]) + 150 * u32::from(pixel[1]) + 29 * u32::from(pixel[2]);
    (sum >> 8) as u8
}

fn decode(bytes: &[u8]) -> Result<(png::OutputInfo, Vec<u8>), PictureError> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let (width, height) = (reader.info().width, reader.info().height);
    // Checked before the buffer is made: a header of a few bytes must not ask for gigabytes.
    check(width, height, (width as usize).saturating_mul(height as usize), 1)?;
    let size = reader.output_buffer_size().ok_or(PictureError::Size(width, height))?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels)?;
    pixels.truncate(info.buffer_size());
    Ok((info, pixels))
}

fn unexpanded() -> PictureError {
    // The decoder was told to expand palettes, so this shows a change in it.
    PictureError::Png("a palette was not expanded".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_picture_survives_its_png() {
        let mut picture = Rgb::filled(5, 3, [10, 20, 30]);
        picture.set(4, 2, [200, 100, 0]);
        picture.set(5, 0, [1, 1, 1]);
        picture.set(-1, 0, [1, 1, 1]);
        let png = picture.to_png().unwrap();
        assert_eq!(Rgb::from_png(&png), Ok(picture));
        let grey = Grey::from_png(&png).unwrap();
        assert_eq!(grey.at(0, 0), ((77 * 10 + 150 * 20 + 29 * 30) >> 8) as u8);
    }

    #[test]
    fn bytes_that_are_no_picture_are_refused() {
        assert!(matches!(Grey::from_png(b"GIF89a"), Err(PictureError::Png(_))));
        let png = Rgb::filled(9, 9, [1, 2, 3]).to_png().unwrap();
        assert!(matches!(Rgb::from_png(&png[..png.len() / 2]), Err(PictureError::Png(_))));
    }

    #[test]
    fn a_header_that_asks_for_too_much_is_refused_before_memory_is_taken() {
        let mut png = Rgb::filled(1, 1, [0; 3]).to_png().unwrap();
        // The width is in the header, whose checksum the decoder would miss first.
        png[16..20].copy_from_slice(&0x7fff_ffff_u32.to_be_bytes());
        assert!(Grey::from_png(&png).is_err());
        assert_eq!(Grey::new(SIDE_MAX + 1, 1, vec![0; 8193]), Err(PictureError::Size(8193, 1)));
        assert_eq!(Grey::new(0, 1, Vec::new()), Err(PictureError::Size(0, 1)));
        assert_eq!(Grey::new(2, 2, vec![0; 3]), Err(PictureError::Length(3)));
    }
}

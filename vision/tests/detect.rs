//! What the detector does with pictures that are not just boards of a series.

use lineside_vision::boards::Series;
use lineside_vision::defect::PixelBox;
use lineside_vision::detect::passes::{Affine, Size, warp};
use lineside_vision::detect::{Aligned, DetectError, Golden, detect, regions};
use lineside_vision::picture::Grey;

fn golden() -> Grey {
    Series::new(11).golden().grey()
}

#[test]
fn a_golden_board_has_no_faults() {
    let golden = Golden::new(golden());
    assert_eq!(detect(&golden, &golden.picture), Ok(Vec::new()));
}

#[test]
fn a_board_is_found_where_it_lies() {
    let picture = golden();
    let size = Size { width: picture.width(), height: picture.height() };
    let moved = Affine { x0: -250_000, xx: 20, xy: 350, y0: 140_000, yx: -350, yy: -20 };
    let mut pixels = vec![0; size.pixels()];
    warp(picture.pixels(), moved, size, &mut pixels);
    let board = Grey::new(size.width, size.height, pixels).unwrap();
    let found = Aligned::new(&Golden::new(picture), &board).unwrap().affine;
    // An eighth of a pixel in the middle, and as much again at the edges.
    assert!((found.x0 - moved.x0).abs() < 8192, "{found:?}");
    assert!((found.y0 - moved.y0).abs() < 8192, "{found:?}");
    for (one, other) in [(found.xx, moved.xx), (found.xy, moved.xy), (found.yx, moved.yx)] {
        assert!((one - other).abs() < 16, "{found:?}");
    }
}

#[test]
fn a_blot_is_found_in_half_the_light() {
    let golden = Golden::new(golden());
    let (width, height) = (golden.picture.width(), golden.picture.height());
    let blot = PixelBox { x: 600, y: 372, width: 9, height: 7 };
    let pixel = |at: u32| {
        let (x, y) = (at % width, at / width);
        let bright = if blot.contains(x, y) { 250 } else { golden.picture.at(x, y) };
        (u32::from(bright) * (400 + x / 2) / 1024) as u8
    };
    let board = Grey::new(width, height, (0..width * height).map(pixel).collect()).unwrap();
    let found = detect(&golden, &board).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].middle_distance_squared(blot) <= 4 * 4, "{found:?}");
}

#[test]
fn a_picture_of_something_else_is_refused() {
    let golden = Golden::new(golden());
    let (width, height) = (golden.picture.width(), golden.picture.height());
    let flat = Grey::filled(width, height, 90);
    assert_eq!(detect(&golden, &flat), Err(DetectError::Unlike));
    let mirrored: Vec<u8> = golden.picture.pixels().iter().rev().copied().collect();
    let upside_down = Grey::new(width, height, mirrored).unwrap();
    assert_eq!(detect(&golden, &upside_down), Err(DetectError::Unlike));
}

#[test]
fn a_picture_of_another_size_is_refused_with_both_sizes() {
    let error = detect(&Golden::new(golden()), &Grey::filled(640, 480, 0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the board's picture has 640×480 pixels, the golden one 1024×768"
    );
}

#[test]
fn pictures_too_small_to_search_are_refused() {
    for (width, height) in [(1, 1), (84, 83), (300, 20)] {
        let picture = Grey::filled(width, height, 7);
        assert_eq!(detect(&Golden::new(picture.clone()), &picture), Err(DetectError::Unlike));
    }
}

#[test]
fn marks_two_apart_are_one_region_and_specks_are_none() {
    let size = Size { width: 20, height: 4 };
    let mut marks = [0; 80];
    // Two blocks of 2×2 with one column between; a speck three columns further.
    for (x, y) in [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (5, 1), (4, 2), (5, 2), (9, 1)] {
        marks[y * 20 + x] = 1;
    }
    let found = regions(&marks, &[9, 0], size);
    assert_eq!(found, [PixelBox { x: 0, y: 0, width: 7, height: 4 }]);
}

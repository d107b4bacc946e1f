//! The exact values of the passes, on buffers small enough to reckon by hand. A GPU kernel of a
//! pass must yield the same.

use lineside_vision::detect::passes::{
    Affine, GAIN_ONE, PLACES, SEARCH, Size, block_costs, difference, envelope, even_light,
    keep_clustered, light_gains, threshold, tile_counts, tile_sums, warp,
};

fn size(width: u32, height: u32) -> Size {
    Size { width, height }
}

#[test]
fn a_tile_that_the_edge_cuts_sums_what_there_is_of_it() {
    let mut sums = [9; 4];
    tile_sums(&[2; 17 * 18], size(17, 18), &mut sums);
    assert_eq!(sums, [2 * 256, 2 * 16, 2 * 32, 2 * 2]);
}

#[test]
fn a_tile_counts_marks_of_both_kinds() {
    let mut counts = [9; 2];
    let mut marks = [0; 20];
    (marks[0], marks[15], marks[19]) = (1, 2, 2);
    tile_counts(&marks, size(20, 1), &mut counts);
    assert_eq!(counts, [2, 1]);
}

#[test]
fn a_gain_is_rounded_and_kept_in_range() {
    let gain = |golden, board| {
        let mut gains = [0];
        light_gains(&[golden], &[board], size(16, 16), &mut gains);
        gains[0]
    };
    assert_eq!(gain(100, 100), GAIN_ONE);
    assert_eq!(gain(100, 50), 2 * GAIN_ONE);
    // 512 / 3 is 170.67.
    assert_eq!(gain(1, 3), 171);
    assert_eq!(gain(100, 1), 4 * GAIN_ONE);
    assert_eq!(gain(1, 100), GAIN_ONE / 4);
    assert_eq!(gain(0, 0), GAIN_ONE / 4);
}

#[test]
fn a_gain_is_that_of_all_tiles_up_to_four_away() {
    let mut gains = [0; 6];
    let golden = [0, 0, 0, 0, 0, 90];
    light_gains(&golden, &[30; 6], size(96, 16), &mut gains);
    // Five tiles of 30 against nothing; and with the sixth, 180 against 90, and 150 against 90.
    assert_eq!(gains[0], GAIN_ONE / 4);
    assert_eq!(gains[1], GAIN_ONE / 2);
    assert_eq!(gains[5], (90 * 512 + 75) / 150);
}

#[test]
fn light_is_mixed_between_the_middles_of_tiles() {
    let mut even = [0; 32];
    even_light(&[100; 32], &[GAIN_ONE, 2 * GAIN_ONE], size(32, 1), &mut even);
    // Up to the middle of the first tile its own gain; then 1/32, 3/32, ... of the way.
    assert_eq!(even[..8], [100; 8]);
    assert_eq!(even[8..12], [103, 109, 116, 122]);
    assert_eq!(even[23], 197);
    assert_eq!(even[24..], [200; 8]);
}

#[test]
fn even_light_does_not_exceed_white() {
    let mut even = [0; 2];
    even_light(&[200, 90], &[2 * GAIN_ONE], size(2, 1), &mut even);
    assert_eq!(even, [255, 180]);
}

#[test]
fn a_block_costs_nothing_where_it_came_from() {
    let size = size(84, 84);
    let golden: Vec<u8> = (0..84 * 84_u32).map(|at| (at * at / 7 % 251) as u8).collect();
    // The board shows at (x, y) what golden shows at (x + 3, y - 2).
    let board: Vec<u8> = (0..84 * 84).map(|at| golden[(at + 3 + 84 * 82) % (84 * 84)]).collect();
    let mut costs = vec![0; size.places()];
    block_costs(&golden, &board, size, &mut costs);
    let place = (SEARCH - 2) * PLACES + SEARCH + 3;
    assert_eq!(costs[place as usize], 0);
    assert_eq!(costs.iter().filter(|&&cost| cost == 0).count(), 1);
}

#[test]
fn a_block_costs_the_squares_of_each_eighth_row() {
    let size = size(84, 84);
    let mut board = vec![0; size.pixels()];
    // The first compared row begins at (10, 10), the next at (10, 18).
    (board[10 * 84 + 10], board[18 * 84 + 73]) = (255, 3);
    (board[11 * 84 + 10], board[10 * 84 + 74]) = (255, 255);
    let mut costs = vec![0; size.places()];
    block_costs(&vec![0; size.pixels()], &board, size, &mut costs);
    assert!(costs.iter().all(|&cost| cost == 255 * 255 + 9));
}

#[test]
fn a_warp_by_whole_pixels_moves_them_and_repeats_the_edge() {
    let mut warped = [0; 6];
    let affine = Affine { x0: 1 << 16, y0: -(1 << 16), ..Affine::default() };
    warp(&[1, 2, 3, 4, 5, 6], affine, size(3, 2), &mut warped);
    assert_eq!(warped, [2, 3, 3, 2, 3, 3]);
}

#[test]
fn a_warp_between_pixels_mixes_and_rounds() {
    let mut warped = [0; 4];
    let quarter = Affine { x0: 1 << 14, ..Affine::default() };
    warp(&[0, 10, 0, 255], quarter, size(4, 1), &mut warped);
    // 2.5, 7.5 and 63.75; beside the picture there is its edge.
    assert_eq!(warped, [3, 8, 64, 255]);
    let back = Affine { x0: -1, ..Affine::default() };
    warp(&[0, 255, 0, 255], back, size(4, 1), &mut warped);
    // The finest step back is 1/256 of a pixel.
    assert_eq!(warped, [0, 254, 1, 254]);
}

#[test]
fn a_warp_turns_about_the_middle() {
    let golden: Vec<u8> = (0..16).collect();
    let mut warped = [0; 16];
    // Two pixels from the middle one whole pixel down, at the other end one up.
    let affine = Affine { yx: 1 << 15, ..Affine::default() };
    warp(&golden, affine, size(4, 4), &mut warped);
    assert_eq!(warped[4..8], [0, 3, 6, 9]);
}

#[test]
fn the_envelope_spans_the_nine_pixels_around() {
    let (mut low, mut high) = ([0; 9], [0; 9]);
    envelope(&[9, 2, 3, 4, 5, 6, 7, 8, 1], size(3, 3), &mut low, &mut high);
    assert_eq!(low, [2, 2, 2, 2, 1, 1, 4, 1, 1]);
    assert_eq!(high, [9, 9, 6, 9, 9, 8, 8, 8, 8]);
}

#[test]
fn only_what_leaves_the_envelope_differs() {
    let mut out = [9; 5];
    difference(&[10, 10, 10, 0, 255], &[20, 20, 20, 0, 255], &[9, 10, 23, 255, 0], &mut out);
    assert_eq!(out, [-1, 0, 3, 255, -255]);
}

#[test]
fn a_mark_says_in_which_way_a_pixel_differs() {
    let mut marks = [9; 5];
    threshold(&[14, 13, 0, -13, -14], 14, &mut marks);
    assert_eq!(marks, [1, 0, 0, 0, 2]);
}

#[test]
fn marks_need_fellows_of_their_own_kind() {
    let mut kept = [9; 12];
    #[rustfmt::skip]
    let marks = [
        1, 1, 0, 2,
        1, 1, 0, 1,
        0, 0, 0, 2,
    ];
    keep_clustered(&marks, 4, size(4, 3), &mut kept);
    assert_eq!(kept, [1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0]);
}

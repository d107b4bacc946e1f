//! What the generator of boards promises.

use lineside_vision::boards::Series;
use lineside_vision::defect::Class;
use lineside_vision::picture::Grey;

/// Pixels of the golden picture and of a board, then their PNGs. If only the last two differ, the
/// encoder has changed, not the boards.
const PINNED: [&str; 4] =
    ["8f7d1368a392fc93", "859adf47969443ca", "b3a3eb41e4aa2f6d", "3ad3472f0c54668c"];

/// FNV-1a: short, and the same everywhere.
fn digest(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn the_same_seed_gives_the_same_bytes_everywhere() {
    let series = Series::new(7);
    let board = series.board(1);
    assert_eq!(board.image, "board-01.png");
    let digests = [
        digest(series.golden().grey().pixels()),
        digest(board.shot.grey().pixels()),
        digest(&series.golden().png().unwrap()),
        digest(&board.shot.png().unwrap()),
    ];
    assert_eq!(digests.map(|digest| format!("{digest:016x}")), PINNED);
}

#[test]
fn another_seed_gives_another_board() {
    let [one, other] = [7, 8].map(|seed| Series::new(seed).golden().grey());
    assert!(one != other);
}

#[test]
fn the_plane_of_a_shot_is_what_its_png_shows() {
    let shot = Series::new(3).board(2).shot;
    assert!(Grey::from_png(&shot.png().unwrap()).unwrap() == shot.grey());
}

#[test]
fn a_few_boards_are_good_and_the_others_have_two_to_six_faults() {
    let series = Series::new(21);
    let boards: Vec<_> = (1..=24).map(|number| series.board(number)).collect();
    let good = boards.iter().filter(|board| board.truth.is_empty()).count();
    assert_eq!(good, 4);
    for board in boards.iter().filter(|board| !board.truth.is_empty()) {
        assert!((2..=6).contains(&board.truth.len()), "{:?}", board.truth);
        for (place, defect) in board.truth.iter().enumerate() {
            let bounds = defect.bounds;
            assert_eq!(defect.image, board.image);
            assert!(bounds.x + bounds.width <= 1024 && bounds.y + bounds.height <= 768);
            for other in &board.truth[..place] {
                let apart = bounds.middle_distance_squared(other.bounds);
                assert!(apart > 60 * 60, "{defect:?} is near to {other:?}");
            }
        }
    }
    for class in Class::ALL {
        let count = boards.iter().flat_map(|board| &board.truth).filter(|d| d.class == class);
        assert!(count.count() >= 6, "{class}");
    }
}

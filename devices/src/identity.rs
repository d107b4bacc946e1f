//! What a card is known by: its UUID, and its place on the PCI bus.

use std::fmt;
use std::str::FromStr;

/// Sixteen bytes that only one card, or one MIG slice, should have.
///
/// ```
/// use lineside_devices::Uuid;
/// let one: Uuid = "GPU-6d657361-3232-2e33-2e36-000000000001".parse().unwrap();
/// assert_eq!(one, "6D65736132322E332E36000000000001".parse().unwrap());
/// assert_eq!(one.to_string(), "6d657361-3232-2e33-2e36-000000000001");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub [u8; 16]);

impl Uuid {
    /// Whether it names anything: drivers that know no better say all zeros or all ones.
    pub fn is_real(self) -> bool {
        self.0 != [0; 16] && self.0 != [0xff; 16]
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                out.write_str("-")?;
            }
            write!(out, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl FromStr for Uuid {
    type Err = ();

    /// With or without `GPU-` or `MIG-` before it, and hyphens in it.
    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.trim();
        let prefix = text.get(..4).unwrap_or_default();
        let cut = prefix.eq_ignore_ascii_case("gpu-") || prefix.eq_ignore_ascii_case("mig-");
        let digits: Vec<u8> = match cut {
            true => &text[4..],
            false => text,
        }
        .bytes()
        .filter(|&byte| byte != b'-')
        .collect();
        if digits.len() != 32 {
            return Err(());
        }
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16).ok_or(());
            *byte = (digit(0)? * 16 + digit(1)?) as u8;
        }
        Ok(Uuid(bytes))
    }
}

/// Where a card sits on the PCI bus.
///
/// ```
/// use lineside_devices::Pci;
/// let pci: Pci = "00000000:65:00.0".parse().unwrap();
/// assert_eq!(pci, "65:00.0".parse().unwrap());
/// assert_eq!(pci.to_string(), "0000:65:00.0");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pci {
    /// The domain.
    pub domain: u32,
    /// The bus.
    pub bus: u8,
    /// The device.
    pub device: u8,
    /// The function.
    pub function: u8,
}

impl fmt::Display for Pci {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pci { domain, bus, device, function } = self;
        write!(out, "{domain:04x}:{bus:02x}:{device:02x}.{function:x}")
    }
}

impl FromStr for Pci {
    type Err = ();

    /// `domain:bus:device.function`; the domain may be left out.
    fn from_str(text: &str) -> Result<Self, ()> {
        let hex = |text: &str| match text.is_empty() || text.len() > 8 {
            true => Err(()),
            false => u32::from_str_radix(text, 16).map_err(drop),
        };
        let byte = |text: &str| u8::try_from(hex(text)?).map_err(drop);
        let (front, function) = text.trim().rsplit_once('.').ok_or(())?;
        let mut parts = front.rsplit(':');
        let device = byte(parts.next().ok_or(())?)?;
        let bus = byte(parts.next().ok_or(())?)?;
        let domain = parts.next().map_or(Ok(0), hex)?;
        let function = byte(function)?;
        match parts.next() {
            None if device < 32 && function < 8 => Ok(Pci { domain, bus, device, function }),
            _ => Err(()),
        }
    }
}

/// Whether a name is one that a pattern means: `*` stands for anything, `?` for one character;
/// upper and lower case are alike.
///
/// ```
/// use lineside_devices::matches;
/// assert!(matches("*rtx 4000*", "NVIDIA RTX 4000 Ada Generation"));
/// assert!(!matches("RTX", "NVIDIA RTX 4000"));
/// ```
pub fn matches(pattern: &str, name: &str) -> bool {
    let fold = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let (pattern, name) = (fold(pattern), fold(name));
    let (mut p, mut n) = (0, 0);
    // Where to go on if what follows the last star does not match here.
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            retry = Some((p + 1, n));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == name[n]) {
            (p, n) = (p + 1, n + 1);
        } else if let Some((star, from)) = retry {
            (p, n) = (star, from + 1);
            retry = Some((star, from + 1));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", ".", ":.", "65:00", "65:00.8", "65:20.0", "1:2:3:4.0", "zz:00.0", "1 :2.0"]
        {
            assert!(text.parse::<Pci>().is_err(), "{text}");
        }
        for text in ["", "GPU-", "GPU-12", "é".repeat(32).as_str(), "g".repeat(32).as_str()] {
            assert!(text.parse::<Uuid>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_pattern_with_many_stars_ends() {
        let name = "a".repeat(2000);
        assert!(!matches(&"a*".repeat(500).replace("a*a*", "a*b*"), &name));
        assert!(matches("**a*", &name) && matches("", "") && !matches("?", ""));
    }
}

//! The table of the units.

use super::note_of_more;
use crate::duration::duration;
use crate::summary::{Summary, share};
use crate::text::xml;
use crate::timeline::Timeline;
use crate::words;

/// Units that are listed at most.
const UNITS: usize = 500;

pub(super) fn section(page: &mut String, timeline: &Timeline<'_>, numbers: &Summary) {
    if numbers.units.is_empty() {
        return;
    }
    let mut leases = vec![0_u64; numbers.units.len()];
    for place in &timeline.places {
        leases[place.unit as usize] += 1;
    }
    page.push_str("<section id=\"units\">\n<h2>Units</h2>\n<div class=\"scroll\"><table>\n");
    page.push_str("<thead><tr><th scope=\"col\">Unit</th><th scope=\"col\">Use of its time</th>");
    for name in ["Busy", "Held", "Starved", "Leases"] {
        page.push_str(&format!("<th scope=\"col\" class=\"n\">{name}</th>"));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (unit, leases) in numbers.units.iter().zip(leases).take(UNITS) {
        let name = xml(&unit.name);
        page.push_str(&format!("<tr><th scope=\"row\">{name}</th>"));
        let part = |time| share(time, numbers.makespan_ns) * 100.0;
        let (busy, held) = (part(unit.busy_ns), part(unit.held_ns));
        page.push_str(&format!(
            "<td class=\"wide\"><span class=\"use\" style=\"--b:{busy:.2}%;--h:{held:.2}%\">\
             </span></td>"
        ));
        for time in [unit.busy_ns, unit.held_ns, unit.starved_ns] {
            let percent = xml(&words::percent(share(time, numbers.makespan_ns)));
            let time = duration(time);
            page.push_str(&format!("<td class=\"n\">{percent} <small>{time}</small></td>"));
        }
        page.push_str(&format!("<td class=\"n\">{}</td></tr>\n", words::grouped(leases)));
    }
    page.push_str("</tbody></table></div>\n");
    page.push_str(
        "<p class=\"hint\"><span class=\"key solid\"></span>busy: something in flight \
         <span class=\"key hatch\"></span>starved: leased, nothing in flight \
         <span class=\"key\"></span>free or not up</p>\n",
    );
    note_of_more(page, numbers.units.len().saturating_sub(UNITS), "unit", "");
    page.push_str("</section>\n");
}

//! Tests of the real server, over HTTP.

mod acceptance;
mod bench;
mod client;
mod decisions;
mod flood;
mod gated;
mod hostile;
mod inbox;
mod kills;
mod live;
mod load;
mod outage;
mod people;
mod programs;
mod team;

//! Tests of the real server, over HTTP.

mod acceptance;
mod bench;
mod browser;
mod client;
mod credentials;
mod decisions;
mod flood;
mod gated;
mod inbox;
mod kills;
mod limits;
mod live;
mod load;
mod outage;
mod people;
mod programs;
mod team;

import MQTT
import Testing

struct TLSReasonTests {
    @Test func `a TLS alert of the broker is reported with what to do`() {
        let line = "OpenSSL Error[0]: error:0A000410:SSL routines::sslv3 alert handshake failure"
        #expect(TLSReason.of([line])?.contains("the broker refuses the handshake") == true)
    }

    @Test func `a number that means an alert in TLS means something else in other parts of OpenSSL`() {
        let line = "OpenSSL Error[0]: error:05800410:x509 certificate routines::reason(1040)"
        #expect(TLSReason.of([line]) == line)
    }
}

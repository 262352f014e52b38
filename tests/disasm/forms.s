# forms.s - the instruction forms that hardware_test.c executes (struct form in forms.h). Memory operands use rsi as
# base, or rdi if the instruction needs it. rbx is a copy of rsi. The stack is an area of the machine (machine.h).

.macro form insn:vararg
	.pushsection .rodata.forms, "a"
9903:	.asciz "\insn"
	.popsection
	.pushsection .text.forms, "ax"
9901:	\insn
9902:
	.popsection
	.pushsection .data.rel.ro.forms, "aw"
	.quad 9901b, 9902b, 9903b
	.popsection
.endm

	.pushsection .data.rel.ro.forms, "aw"
	.balign 8
	.globl rfs_forms_start
	.hidden rfs_forms_start
rfs_forms_start:
	.popsection

# general registers
.irp op, add, or, adc, sbb, and, sub, xor, cmp
	form \op\()b %cl, (%rsi)
	form \op\()w %cx, 0x12(%rsi)
	form \op\()l %ecx, (%rsi,%r8,4)
	form \op\()q %rcx, -0x128(%rsi)
	form \op\()b (%rsi), %cl
	form \op\()w (%rsi), %cx
	form \op\()l (%rsi), %ecx
	form \op\()q (%rsi), %r13
	form \op\()b $5, (%rsi)
	form \op\()w $0x1234, (%rsi)
	form \op\()l $5, (%rsi)
	form \op\()q $-5, (%rsi)
	form \op\()l $0x12345678, 8(%rsi)
	form \op\()l %ecx, 0x1200(%rip)
	form \op\()q $0x1234, 0x1200(%rip)
.endr
.irp op, add, or, adc, sbb, and, sub, xor
	form lock \op\()l %ecx, (%rsi)
	form lock \op\()q $1, (%rsi)
.endr
.irp op, inc, dec, not, neg
	form \op\()b (%rsi)
	form \op\()w (%rsi)
	form \op\()l (%rsi)
	form \op\()q (%rsi)
	form lock \op\()l (%rsi)
	form \op\()l 0x1200(%rip)
.endr
.irp op, mul, imul, div, idiv
	form \op\()b (%rsi)
	form \op\()w (%rsi)
	form \op\()l (%rsi)
	form \op\()q (%rsi)
.endr
.irp op, test
	form \op\()b %cl, (%rsi)
	form \op\()w %cx, (%rsi)
	form \op\()l %ecx, (%rsi)
	form \op\()q %rcx, (%rsi)
	form \op\()b $1, (%rsi)
	form \op\()l $1, (%rsi)
	form \op\()q $1, (%rsi)
.endr
.irp op, rol, ror, rcl, rcr, shl, shr, sar
	form \op\()b (%rsi)
	form \op\()b %cl, (%rsi)
	form \op\()w $2, (%rsi)
	form \op\()l (%rsi)
	form \op\()l %cl, (%rsi)
	form \op\()q $3, (%rsi)
	form \op\()q %cl, (%rsi)
.endr
.irp op, shld, shrd
	form \op\()w $3, %cx, (%rsi)
	form \op\()l $3, %edx, (%rsi)
	form \op\()q %cl, %r9, (%rsi)
.endr
.irp op, bt, bts, btr, btc
	form \op\()w $3, (%rsi)
	form \op\()l $30, (%rsi)
	form \op\()q $63, (%rsi)
	form \op\()w %r9w, (%rsi)
	form \op\()l %r9d, (%rsi)
	form \op\()q %r9, (%rsi)
	form \op\()w %r10w, (%rsi)
	form \op\()l %r10d, (%rsi)
	form \op\()q %r10, 8(%rsi)
.endr
.irp op, bts, btr, btc
	form lock \op\()l $3, (%rsi)
	form lock \op\()q %r10, (%rsi)
.endr
.irp op, movsx, movzx
	form \op\()b (%rsi), %ecx
	form \op\()b (%rsi), %cx
	form \op\()b (%rsi), %rcx
	form \op\()w (%rsi), %ecx
	form \op\()w (%rsi), %rcx
.endr
	form movslq (%rsi), %rcx
	form mov %cl, (%rsi)
	form mov %cx, (%rsi)
	form mov %ecx, (%rsi)
	form mov %rcx, (%rsi)
	form mov (%rsi), %ch
	form mov (%rsi), %cx
	form mov (%rsi), %ecx
	form mov (%rsi), %rcx
	form mov %r14, 0x700(%rsi)
	form mov (%rsi,%r8,8), %r15
	form mov %ecx, 0x1200(%rip)
	form mov 0x1200(%rip), %rcx
	form movb $1, (%rsi)
	form movw $1, (%rsi)
	form movl $1, (%rsi)
	form movq $-1, (%rsi)
	form movl $0x11223344, 0x1200(%rip)
	form mov %ds, (%rsi)
	form movabs %al, 0x60001800
	form movabs 0x60001800, %rax
	form movabs %eax, 0x60001800
	form mov %ecx, (%esi)
	form add %ecx, 4(%esi,%r8d,2)
	form mov %fs:-0x2000(%rsi), %ecx
	form mov %ecx, %gs:-0x1000(%rsi)
	form add %ecx, %gs:-0x1000(%rsi,%r8)
	form movbe %cx, (%rsi)
	form movbe %ecx, (%rsi)
	form movbe (%rsi), %rcx
	form movnti %ecx, (%rsi)
	form movnti %rcx, (%rsi)
	form xchg %cl, (%rsi)
	form xchg %cx, (%rsi)
	form xchg %ecx, (%rsi)
	form xchg %rcx, (%rsi)
	form lock xchg %rcx, (%rsi)
	form xchg %ecx, 0x1200(%rip)
	form xadd %cl, (%rsi)
	form xadd %cx, (%rsi)
	form xadd %ecx, (%rsi)
	form xadd %rcx, (%rsi)
	form lock xadd %ecx, (%rsi)
	form cmpxchg %cl, (%rsi)
	form cmpxchg %cx, (%rsi)
	form cmpxchg %ecx, (%rsi)
	form cmpxchg %rcx, (%rsi)
	form lock cmpxchg %ecx, (%rsi)
	form cmpxchg8b (%rsi)
	form lock cmpxchg8b (%rsi)
	form cmpxchg16b (%rsi)
	form lock cmpxchg16b (%rsi)
.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	form set\cc (%rsi)
	form cmov\cc (%rsi), %ecx
.endr
	form cmovne (%rsi), %rcx
	form cmove (%rsi), %cx
.irp op, popcnt, lzcnt, tzcnt, bsf, bsr
	form \op (%rsi), %cx
	form \op (%rsi), %ecx
	form \op (%rsi), %rcx
.endr
	form imul (%rsi), %ecx
	form imul $77, (%rsi), %rcx
	form imul $7777, 0x1200(%rip), %ecx
	form crc32b (%rsi), %ecx
	form crc32w (%rsi), %ecx
	form crc32l (%rsi), %ecx
	form crc32q (%rsi), %rcx
	form adcx (%rsi), %ecx
	form adox (%rsi), %rcx
	form andn (%rsi), %ecx, %edx
	form bextr %rcx, (%rsi), %rdx
	form bzhi %ecx, (%rsi), %edx
	form blsr (%rsi), %ecx
	form mulx (%rsi), %rcx, %r9
	form pdep (%rsi), %rcx, %r9
	form pext (%rsi), %ecx, %r9d
	form rorx $3, (%rsi), %rcx
	form sarx %ecx, (%rsi), %r9d
	form lea (%rsi), %rcx
	form lea 0x1200(%rip), %rcx
	form lea (%rsi,%r8,4), %ecx
	form nopl (%rsi)
	form nopw 0(%rsi,%rsi)
	form prefetcht0 (%rsi)
	form prefetchnta (%rsi)
	form prefetchw (%rsi)
	form endbr64
	form pause
	form lar (%rsi), %ecx
	form xlat
# stack
	form push %rax
	form pushw %ax
	form push $1
	form push $0x12345678
	form push (%rsi)
	form pushw (%rsi)
	form push 8(%rsp)
	form push 0x1200(%rip)
	form pushf
	form push %fs
	form pop %rax
	form popw %ax
	form pop (%rsi)
	form popw (%rsi)
	form pop 0x10(%rsp)
	form pop 0x1200(%rip)
	form popf
	form leave
	form enter $0, $0
	form enter $0, $1
	form enter $0, $3
# strings
.irp s, b, w, l, q
	form movs\s
	form lods\s
	form stos\s
	form scas\s
	form cmps\s
	form rep movs\s
	form rep stos\s
	form rep lods\s
	form repe scas\s
	form repne scas\s
	form repe cmps\s
	form repne cmps\s
.endr
	form addr32 rep movsb
	form addr32 lodsl
	form repne movsb
# x87
.irp op, fadd, fmul, fcom, fcomp, fsub, fsubr, fdiv, fdivr
	form \op\()s (%rsi)
	form \op\()l (%rsi)
.endr
.irp op, fiadd, fimul, ficom, ficomp, fisub, fisubr, fidiv, fidivr
	form \op\()s (%rsi)
	form \op\()l (%rsi)
.endr
	form flds (%rsi)
	form fldl (%rsi)
	form fldt (%rsi)
	form fildl (%rsi)
	form filds (%rsi)
	form fildll (%rsi)
	form fbld (%rsi)
	form fsts (%rsi)
	form fstl (%rsi)
	form fstps (%rsi)
	form fstpl (%rsi)
	form fstpt (%rsi)
	form fists (%rsi)
	form fistl (%rsi)
	form fistps (%rsi)
	form fistpl (%rsi)
	form fistpll (%rsi)
	form fisttps (%rsi)
	form fisttpl (%rsi)
	form fisttpll (%rsi)
	form fbstp (%rsi)
	form fnstcw (%rsi)
	form fnstsw (%rsi)
	form fldcw 0x100(%rdi)
	form fnstenv (%rsi)
	form fldenv 0x100(%rdi)
	form fnsave (%rsi)
	form frstor 0x100(%rdi)
	form fxsave (%rsi)
	form fxsave64 (%rsi)
	form xsave (%rsi)
	form xsaveopt (%rsi)
	form xsavec (%rsi)
	form stmxcsr (%rsi)
	form ldmxcsr 0x100(%rdi)
# mmx
	form movd (%rsi), %mm1
	form movq (%rsi), %mm1
	form movd %mm1, (%rsi)
	form movq %mm1, (%rsi)
	form movntq %mm1, (%rsi)
	form paddb (%rsi), %mm1
	form punpcklbw (%rsi), %mm1
	form punpckhbw (%rsi), %mm1
	form pshufw $3, (%rsi), %mm1
	form pinsrw $1, (%rsi), %mm1
	form cvtpi2ps (%rsi), %xmm4
	form cvtpi2pd (%rsi), %xmm4
	form cvtps2pi (%rsi), %mm1
	form cvttpd2pi (%rsi), %mm1
# sse
.irp op, addps, mulpd, andps, orpd, xorps, maxps, sqrtpd, rcpps, rsqrtps, unpcklps, unpckhpd, addsubps, haddpd, hsubps
	form \op (%rsi), %xmm4
.endr
.irp op, addss, mulss, subss, divss, minss, maxss, sqrtss, rcpss, rsqrtss, ucomiss, comiss, cvtss2sd
	form \op (%rsi), %xmm4
.endr
.irp op, addsd, mulsd, subsd, divsd, minsd, maxsd, sqrtsd, ucomisd, comisd, cvtsd2ss
	form \op (%rsi), %xmm4
.endr
.irp op, paddb, paddq, psubw, pmullw, pmuludq, pmaddwd, psadbw, pand, pandn, por, pxor, pcmpeqb, pcmpgtd, packsswb
	form \op (%rsi), %xmm4
.endr
.irp op, packuswb, punpcklbw, punpckhqdq, pshufb, phaddw, pmaddubsw, pabsd, psignb, pmulld, pminsb, pmaxud, pcmpeqq, pcmpgtq, ptest, phminposuw, packusdw, pmuldq
	form \op (%rsi), %xmm4
.endr
.irp op, psllw, pslld, psllq, psrlw, psraw, psrad, psrlq
	form \op (%rsi), %xmm4
.endr
.irp op, pmovsxbw, pmovsxbd, pmovsxbq, pmovsxwd, pmovsxwq, pmovsxdq, pmovzxbw, pmovzxbd, pmovzxbq, pmovzxwd, pmovzxwq, pmovzxdq
	form \op (%rsi), %xmm4
.endr
.irp op, cvtdq2pd, cvtdq2ps, cvtpd2dq, cvtpd2ps, cvtps2dq, cvtps2pd, cvttpd2dq, cvttps2dq
	form \op (%rsi), %xmm4
.endr
.irp op, aesenc, aesdec, aesenclast, aesimc
	form \op (%rsi), %xmm4
.endr
.irp op, pshufd, pshufhw, pshuflw, shufps, shufpd, palignr, pblendw, blendps, dpps, dppd, mpsadbw, roundps, roundpd, pclmulqdq, aeskeygenassist, pcmpestri, pcmpistrm, cmpps, cmppd
	form \op $1, (%rsi), %xmm4
.endr
	form cmpss $1, (%rsi), %xmm4
	form cmpsd $1, (%rsi), %xmm4
	form roundss $1, (%rsi), %xmm4
	form roundsd $1, (%rsi), %xmm4
	form insertps $0x10, (%rsi), %xmm4
	form pinsrb $1, (%rsi), %xmm4
	form pinsrw $1, (%rsi), %xmm4
	form pinsrd $1, (%rsi), %xmm4
	form pinsrq $1, (%rsi), %xmm4
	form pextrb $1, %xmm4, (%rsi)
	form pextrw $1, %xmm4, (%rsi)
	form pextrd $1, %xmm4, (%rsi)
	form pextrq $1, %xmm4, (%rsi)
	form extractps $1, %xmm4, (%rsi)
	form blendvps %xmm0, (%rsi), %xmm4
	form pblendvb %xmm0, (%rsi), %xmm4
	form cvtsi2ssl (%rsi), %xmm4
	form cvtsi2sdq (%rsi), %xmm4
	form cvtss2si (%rsi), %ecx
	form cvttsd2si (%rsi), %rcx
	form cvttss2si (%rsi), %rcx
	form cvtsd2si (%rsi), %ecx
.irp op, movups, movaps, movupd, movapd, movdqu, movdqa
	form \op (%rsi), %xmm4
	form \op %xmm14, (%rsi)
.endr
.irp op, movss, movsd, movd, movq, movlps, movhps, movlpd, movhpd
	form \op (%rsi), %xmm4
	form \op %xmm4, (%rsi)
.endr
	form movups 0x1200(%rip), %xmm4
	form movdqu %xmm4, 0x1200(%rip)
	form vmovups 0x1200(%rip), %ymm4
	form vmovdqu %ymm4, 0x1200(%rip)
	form addsd 0x1200(%rip), %xmm4
	form pshufd $1, (%rsi), %xmm4
	form movq %xmm4, 0x1200(%rip)
	form movddup (%rsi), %xmm4
	form movshdup (%rsi), %xmm4
	form movsldup (%rsi), %xmm4
	form lddqu (%rsi), %xmm4
	form movntdqa (%rsi), %xmm4
	form movntps %xmm4, (%rsi)
	form movntpd %xmm4, (%rsi)
	form movntdq %xmm4, (%rsi)
	form maskmovdqu %xmm3, %xmm4
	form maskmovq %mm1, %mm2
	form sha1msg1 (%rsi), %xmm4
	form sha256rnds2 %xmm0, (%rsi), %xmm4
	form gf2p8mulb (%rsi), %xmm4
	form gf2p8affineqb $1, (%rsi), %xmm4
# avx
.irp r, xmm, ymm
.irp op, vaddps, vmulpd, vandps, vxorpd, vmaxps, vunpcklps, vhaddpd, vpaddb, vpsubq, vpmullw, vpand, vpcmpeqb, vpshufb, vpmaddubsw, vpackusdw, vpermilps, vpsllvd, vpsravd, vfmadd213ps, vfnmsub231pd, vaddsubps
	form \op (%rsi), %\r\()4, %\r\()5
.endr
.irp op, vsqrtps, vrcpps, vcvtdq2ps, vcvtps2dq, vcvttps2dq, vpabsb, vptest, vtestps, vcvtdq2pd, vcvtps2pd, vlddqu, vmovntdqa, vmovddup, vmovshdup, vcvtph2ps, vbroadcastss, vpbroadcastb, vpbroadcastw, vpbroadcastd, vpbroadcastq, vpmovsxbw, vpmovsxbd, vpmovsxbq, vpmovzxwd, vpmovzxwq, vpmovzxdq
	form \op (%rsi), %\r\()5
.endr
.irp op, vmovups, vmovaps, vmovupd, vmovdqu, vmovdqa
	form \op (%rsi), %\r\()5
	form \op %\r\()13, (%rsi)
.endr
	form vpsllw (%rsi), %xmm4, %xmm5
	form vpsrad (%rsi), %\r\()4, %\r\()5
.irp op, vmovntps, vmovntpd, vmovntdq
	form \op %\r\()5, (%rsi)
.endr
	form vshufps $1, (%rsi), %\r\()4, %\r\()5
	form vcmpps $1, (%rsi), %\r\()4, %\r\()5
	form vpblendd $1, (%rsi), %\r\()4, %\r\()5
	form vblendvps %\r\()3, (%rsi), %\r\()4, %\r\()5
	form vroundps $1, (%rsi), %\r\()5
	form vpermilpd $1, (%rsi), %\r\()5
	form vpshufd $1, 0x1200(%rip), %\r\()5
	form vmaskmovps (%rsi), %\r\()3, %\r\()5
	form vmaskmovps %\r\()5, %\r\()3, (%rsi)
	form vmaskmovpd (%rsi), %\r\()3, %\r\()5
	form vmaskmovpd %\r\()5, %\r\()3, (%rsi)
	form vpmaskmovd (%rsi), %\r\()3, %\r\()5
	form vpmaskmovd %\r\()5, %\r\()3, (%rsi)
	form vpmaskmovq (%rsi), %\r\()3, %\r\()5
	form vpmaskmovq %\r\()5, %\r\()3, (%rsi)
	form vgatherdps %\r\()3, (%rsi,%\r\()1,4), %\r\()5
	form vpgatherdd %\r\()3, (%rsi,%\r\()1,8), %\r\()5
	form vpgatherdq %\r\()3, 8(%rsi,%xmm1,2), %\r\()5
	form vgatherqpd %\r\()3, (%rsi,%\r\()2,8), %\r\()5
	form vpgatherqd %xmm3, (%rsi,%\r\()2,4), %xmm5
	form vcvtps2ph $1, %\r\()5, (%rsi)
.endr
	form vcvtpd2psx (%rsi), %xmm5
	form vcvtpd2psy (%rsi), %xmm5
	form vcvttpd2dqy (%rsi), %xmm5
	form vbroadcastsd (%rsi), %ymm5
	form vbroadcastf128 (%rsi), %ymm5
	form vbroadcasti128 (%rsi), %ymm5
	form vinsertf128 $1, (%rsi), %ymm4, %ymm5
	form vinserti128 $1, (%rsi), %ymm4, %ymm5
	form vextractf128 $1, %ymm5, (%rsi)
	form vextracti128 $0, %ymm5, (%rsi)
	form vperm2f128 $1, (%rsi), %ymm4, %ymm5
	form vpermq $1, (%rsi), %ymm5
	form vpermps (%rsi), %ymm4, %ymm5
	form vaddss (%rsi), %xmm4, %xmm5
	form vaddsd (%rsi), %xmm4, %xmm5
	form vsqrtss (%rsi), %xmm4, %xmm5
	form vcvtss2sd (%rsi), %xmm4, %xmm5
	form vcvtsd2ss (%rsi), %xmm4, %xmm5
	form vcvtsi2ssl (%rsi), %xmm4, %xmm5
	form vcvtsi2sdq (%rsi), %xmm4, %xmm5
	form vcvttss2si (%rsi), %ecx
	form vcvtsd2si (%rsi), %rcx
	form vucomiss (%rsi), %xmm5
	form vcomisd (%rsi), %xmm5
	form vcmpss $1, (%rsi), %xmm4, %xmm5
	form vcmpsd $1, (%rsi), %xmm4, %xmm5
	form vroundsd $1, (%rsi), %xmm4, %xmm5
	form vroundss $1, (%rsi), %xmm4, %xmm5
	form vfmadd231ss (%rsi), %xmm4, %xmm5
	form vfmadd132sd (%rsi), %xmm4, %xmm5
	form vmovss (%rsi), %xmm5
	form vmovss %xmm5, (%rsi)
	form vmovsd (%rsi), %xmm5
	form vmovsd %xmm5, (%rsi)
	form vmovd (%rsi), %xmm5
	form vmovd %xmm5, (%rsi)
	form vmovq (%rsi), %xmm5
	form vmovq %xmm5, (%rsi)
	form vmovlps (%rsi), %xmm4, %xmm5
	form vmovhpd (%rsi), %xmm4, %xmm5
	form vmovlpd %xmm5, (%rsi)
	form vmovhps %xmm5, (%rsi)
	form vpinsrb $1, (%rsi), %xmm4, %xmm5
	form vpinsrw $1, (%rsi), %xmm4, %xmm5
	form vpinsrd $1, (%rsi), %xmm4, %xmm5
	form vpinsrq $1, (%rsi), %xmm4, %xmm5
	form vpextrb $1, %xmm5, (%rsi)
	form vpextrw $1, %xmm5, (%rsi)
	form vpextrd $1, %xmm5, (%rsi)
	form vpextrq $1, %xmm5, (%rsi)
	form vextractps $1, %xmm5, (%rsi)
	form vinsertps $0x10, (%rsi), %xmm4, %xmm5
	form vpcmpistri $1, (%rsi), %xmm5
	form vphminposuw (%rsi), %xmm5
	form vaesenc (%rsi), %xmm4, %xmm5
	form vpclmulqdq $1, (%rsi), %xmm4, %xmm5
	form vldmxcsr 0x100(%rdi)
	form vstmxcsr (%rsi)
	form vmaskmovdqu %xmm3, %xmm4
	form vzeroupper
# avx-512
	form kmovw (%rsi), %k4
	form kmovb (%rsi), %k4
	form kmovd (%rsi), %k4
	form kmovq (%rsi), %k4
	form kmovw %k1, (%rsi)
	form kmovb %k1, (%rsi)
	form kmovd %k1, (%rsi)
	form kmovq %k1, 0x1200(%rip)
.irp r, xmm, ymm, zmm
.irp m, %k1, %k2, %k3, %k5
.irp op, vmovdqu8, vmovdqu16, vmovdqu32, vmovdqu64, vmovups, vmovupd, vmovaps, vmovdqa64
	form \op (%rsi), %\r\()20{\m}{z}
	form \op %\r\()20, 0x40(%rsi){\m}
.endr
.irp op, vpcompressd, vpcompressq, vcompressps, vcompresspd
	form \op %\r\()20, (%rsi){\m}
.endr
.irp op, vpexpandd, vpexpandq, vexpandps, vexpandpd
	form \op (%rsi), %\r\()20{\m}
.endr
.irp op, vpmovdb, vpmovsdw, vpmovqb, vpmovusqw, vpmovqd, vpmovwb
	form \op %\r\()20, (%rsi){\m}
.endr
.irp op, vpmovsxbw, vpmovsxbd, vpmovzxbq, vpmovzxwd, vpmovsxwq, vpmovzxdq, vcvtps2pd, vcvtdq2pd, vcvtudq2pd, vcvtps2qq, vcvtph2ps
	form \op (%rsi), %\r\()20{\m}
.endr
.irp op, vcvtdq2ps, vcvtps2udq, vcvtqq2pd, vsqrtpd, vpabsb, vpabsw, vpabsd, vplzcntq, vpconflictd, vrcp14ps, vgetexppd
	form \op (%rsi), %\r\()20{\m}
.endr
.irp op, vpaddd, vaddps, vmulpd, vpandq, vpaddb, vpsubw, vpsllvd, vpmaxsq, vfmadd231ps, vpblendmb, vpblendmd, vpermt2d, vpshufb, vunpcklps, vpsravw, vpmullq, vscalefps, vpmaddwd, vpminsb, vpminuw, vpmaxsb, vpmaxuw, vpmuldq, vpmuludq, vpmulhrsw, vpmulhuw, vpavgb, vpackssdw, vpackuswb, vpermw, vpermi2w, vpermilps, vpxord, vpmaddubsw, vpsrlvw
	form \op (%rsi), %\r\()4, %\r\()20{\m}
.endr
	form vpcmpeqb (%rsi), %\r\()4, %k6{\m}
	form vpcmpub $1, (%rsi), %\r\()4, %k6{\m}
	form vpcmpw $1, (%rsi), %\r\()4, %k6{\m}
	form vpcmpd $1, (%rsi), %\r\()4, %k6{\m}
	form vpcmpgtq (%rsi), %\r\()4, %k6{\m}
	form vpcmpeqq (%rsi), %\r\()4, %k6{\m}
	form vpcmpgtw (%rsi), %\r\()4, %k6{\m}
	form valignd $1, (%rsi), %\r\()4, %\r\()20{\m}
	form vpalignr $1, (%rsi), %\r\()4, %\r\()20{\m}
	form vdbpsadbw $1, (%rsi), %\r\()4, %\r\()20{\m}
	form vshufps $1, (%rsi), %\r\()4, %\r\()20{\m}
	form vpshufd $1, (%rsi), %\r\()20{\m}
	form vpshufhw $1, (%rsi), %\r\()20{\m}
	form vpsrad (%rsi), %\r\()4, %\r\()20{\m}
	form vmovddup (%rsi), %\r\()20{\m}
	form vmovsldup (%rsi), %\r\()20{\m}
	form vreducepd $1, (%rsi), %\r\()20{\m}
	form vrangeps $1, (%rsi), %\r\()4, %\r\()20{\m}
	form vfixupimmpd $1, (%rsi), %\r\()4, %\r\()20{\m}
	form vpermilpd $1, (%rsi), %\r\()20{\m}
	form vcmpps $1, (%rsi), %\r\()4, %k6{\m}
	form vptestmb (%rsi), %\r\()4, %k6{\m}
	form vptestnmq (%rsi), %\r\()4, %k6{\m}
	form vpslld $3, (%rsi), %\r\()20{\m}
	form vpsrlw $3, (%rsi), %\r\()20{\m}
	form vpternlogd $3, (%rsi), %\r\()4, %\r\()20{\m}
	form vpbroadcastd (%rsi), %\r\()20{\m}
	form vpbroadcastb (%rsi), %\r\()20{\m}
	form vpbroadcastw (%rsi), %\r\()20{\m}
	form vpbroadcastq (%rsi), %\r\()20{\m}
	form vcvtps2ph $1, %\r\()20, (%rsi){\m}
.endr
	form vmovdqu8 (%rsi), %\r\()20
	form vmovdqu64 %\r\()20, 0x40(%rsi)
	form vmovdqu32 0x1200(%rip), %\r\()20
	form vmovntdq %\r\()20, (%rsi)
	form vpsrldq $3, (%rsi), %\r\()20
	form vpgatherdd (%rsi,%\r\()1,4), %\r\()20{%k1}
	form vgatherdps 0x40(%rsi,%\r\()1,4), %\r\()20{%k2}
	form vpgatherdd (%rsi,%\r\()1,4), %\r\()20{%k3}
	form vgatherqpd (%rsi,%\r\()2,8), %\r\()20{%k1}
	form vpscatterdd %\r\()20, (%rsi,%\r\()1,4){%k1}
	form vpscatterqq %\r\()20, 8(%rsi,%\r\()2,8){%k1}
	form vpscatterdd %\r\()20, (%rsi,%\r\()1,4){%k4}
.endr
	form vpgatherqd (%rsi,%zmm2,8), %ymm20{%k4}
	form vgatherdpd (%rsi,%ymm1,8), %zmm20{%k1}
	form vpscatterqd %ymm20, (%rsi,%zmm2,4){%k1}
	form vscatterdpd %zmm20, (%rsi,%ymm1,8){%k1}
	form vpaddd (%rsi){1to16}, %zmm4, %zmm20
	form vpaddd 4(%rsi){1to16}, %zmm4, %zmm20{%k1}
	form vaddpd (%rsi){1to8}, %zmm4, %zmm20{%k3}
	form vmulps (%rsi){1to8}, %ymm4, %ymm20
	form vcvtps2pd (%rsi){1to8}, %zmm20
	form vcvtdq2pd 4(%rsi){1to8}, %zmm20{%k1}
.irp m, %k1, %k2, %k3
	form vbroadcastf32x4 (%rsi), %zmm20{\m}
	form vbroadcastf64x4 (%rsi), %zmm20{\m}
	form vbroadcasti32x8 (%rsi), %zmm20{\m}
	form vbroadcasti64x2 (%rsi), %ymm20{\m}
	form vbroadcastf32x2 (%rsi), %zmm20{\m}
	form vextracti32x4 $1, %zmm20, (%rsi){\m}
	form vextractf64x4 $1, %zmm20, 0x20(%rsi){\m}
	form vinsertf64x4 $1, (%rsi), %zmm4, %zmm20{\m}
	form vaddss (%rsi), %xmm4, %xmm20{\m}
	form vsqrtsd (%rsi), %xmm4, %xmm20{\m}
	form vmovss (%rsi), %xmm20{\m}
	form vmovsd %xmm20, (%rsi){\m}
	form vfmadd213sd (%rsi), %xmm4, %xmm20{\m}
	form vgetexpss (%rsi), %xmm4, %xmm20{\m}
	form vrndscalesd $1, (%rsi), %xmm4, %xmm20{\m}
.endr
	form vmovd 4(%rsi), %xmm20
	form vmovq %xmm20, 8(%rsi)
	form vpextrw $1, %xmm20, 2(%rsi)
	form vpinsrb $1, 1(%rsi), %xmm4, %xmm20
	form vcvtusi2ssl 4(%rsi), %xmm4, %xmm20
	form vcvtusi2sdq 8(%rsi), %xmm4, %xmm20
	form vcvttss2usi 4(%rsi), %ecx
	form vcvtsd2usi 8(%rsi), %rcx
	form vmovddup 0x40(%rsi), %zmm20
	form vpsrad 0x10(%rsi), %zmm4, %zmm20
	form vpsraq 0x10(%rsi), %ymm4, %ymm20{%k1}
	form vshuff32x4 $1, (%rsi), %zmm4, %zmm20
	form vpermpd $1, (%rsi), %zmm20
	form valignd $1, (%rsi), %zmm4, %zmm20
	form vpermb (%rsi), %zmm4, %zmm20
	form vfpclasspsz $1, (%rsi), %k6{%k1}
	form vpdpbusd (%rsi), %zmm4, %zmm20{%k1}
	form vpopcntd (%rsi), %zmm20{%k1}
	form vpmadd52luq (%rsi), %zmm4, %zmm20{%k1}
	form vpcompressb %zmm20, (%rsi){%k1}
	form vpexpandw (%rsi), %zmm20{%k1}
	form vgf2p8mulb (%rsi), %zmm4, %zmm20
	form vaesenc (%rsi), %zmm4, %zmm20

	.pushsection .data.rel.ro.forms, "aw"
	.globl rfs_forms_end
	.hidden rfs_forms_end
rfs_forms_end:
	.popsection
